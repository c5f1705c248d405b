"""The worlds as tasks of Inspect: ``inspect eval maze_gym/maze_nlu --model PROVIDER/MODEL``.

Inspect finds them by the entry point of this distribution. A sample is one episode, as JSON data; the solver
plays it in words, and the scorer reads what came of it. A model that could not be asked is an error of
its sample, never a score.

Raises ``MissingExtra`` on import where Inspect is not installed.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from maze_gym.errors import MazeError, MazeGymError
from maze_gym.extras import require
from maze_gym.game import Coordinates, ReplyFormat
from maze_gym.integrations.boards import board_episodes
from maze_gym.integrations.sessions import Session, SessionSpec, episodes, episodes_of_tiers
from maze_gym.llm.config import ExperimentConfig, History, Querying
from maze_gym.llm.messages import base64_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from inspect_ai import Task
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import Generate, Solver, TaskState

    from maze_gym.integrations.sessions import Prompt

inspect_ai = require("inspect_ai", "inspect")
_dataset = require("inspect_ai.dataset", "inspect")
_model = require("inspect_ai.model", "inspect")
_scorer = require("inspect_ai.scorer", "inspect")
_solver = require("inspect_ai.solver", "inspect")

_OUTCOME = "outcome"  # its name in the store of a sample
_DIFFICULTIES = range(1, 6)  # of SpatialGym
_MEASURES = ("steps", "invalid_reply", "retries", "format")


@inspect_ai.task
def maze_nlu(  # noqa: PLR0913, PLR0917 - options of a command line: -T NAME=VALUE
    levels: str | None = None,
    tier: int | list[int] | list[str] | None = None,
    num_examples: int | None = None,
    seed: int = 0,
    max_steps: int | None = None,
    history: str = "full",
    prompting: str = "standard",
    observation: str = "text",
    querying: str = "step",
    context_window: str = "current",
    show_legal_actions: bool = False,  # noqa: FBT001, FBT002 - see above
    max_invalid_retries: int = 2,
    example: bool = False,  # noqa: FBT001, FBT002 - see above
    **unknown: object,
) -> Task:
    """MazeNLU: keys and doors, switches and gates in a grid maze.

    Args:
        levels: a file, folder or suite; by default ``starter``.
        tier: generate levels of this difficulty tier, or of several in turn, instead.
        num_examples: how many episodes; by default one for each level, and 20 for each tier.
        seed: from which generated levels are drawn.
        max_steps: step limit; by default the level's own, else 4 times the optimum.
        history: ``full``: one growing conversation; ``current``: each turn is a request of its own.
        prompting: ``minimal``, ``standard`` or ``verbose``.
        observation: ``text``, ``text_image`` or ``image_first``.
        querying: ``step``, ``subgoal`` or ``full_trajectory``.
        context_window: with history ``current``: ``lastN``, where N earlier steps are repeated in a turn.
        show_legal_actions: list what has an effect, and refuse the rest.
        max_invalid_retries: how often to ask again when a reply has no action.
        example: show one example of a reply.
        unknown: what Inspect hands over besides: a mistyped option is refused, not passed over.
    """
    with _plainly():
        _refuse(unknown)
        own = {"context_window": context_window, "show_legal_actions": show_legal_actions}
        told = _config(
            history, prompting, observation, max_invalid_retries, example, querying=querying, **own
        )
        make = {} if max_steps is None else {"max_steps": max_steps}
        world = "MazeNLU-v0"
        if tier is None:
            return _task(episodes(world, told, levels=levels, count=num_examples, seed=seed, make=make))
        tiers = _whole_numbers("tier", tier)
        return _task(
            episodes_of_tiers(world, told, tiers, levels=levels, count=num_examples, seed=seed, make=make)
        )


@inspect_ai.task
def pacman_array(  # noqa: PLR0913, PLR0917 - see above
    boards: str = "classic",
    num_examples: int = 20,
    seed: int = 0,
    max_steps: int = 200,
    split: str = "eval",
    show_pellets: int = 0,
    history: str = "full",
    prompting: str = "standard",
    observation: str = "text",
    max_invalid_retries: int = 2,
    example: bool = False,  # noqa: FBT001, FBT002 - see above
    **unknown: object,
) -> Task:
    """PacmanArray: eat everything while ghosts chase you.

    Args:
        boards: ``classic``, the same board each time; or ``random``, generated ones.
        num_examples: how many episodes.
        seed: from which random boards, and the luck of their ghosts, are drawn.
        max_steps: step limit.
        split: ``eval`` or ``train``: random boards of the two have none in common.
        show_pellets: how many pellets a turn lists with their coordinates.
        history: as for ``maze_nlu``, and so are the others.
        prompting: see there.
        observation: see there.
        max_invalid_retries: see there.
        example: see there.
        unknown: see there.
    """
    with _plainly():
        _refuse(unknown)
        told = _config(history, prompting, observation, max_invalid_retries, example)
        return _task(
            board_episodes(
                told,
                boards,
                split,
                count=num_examples,
                seed=seed,
                max_steps=max_steps,
                show_pellets=show_pellets,
            )
        )


@inspect_ai.task
def spatial_gym(  # noqa: PLR0913, PLR0917 - see above
    mode: str = "step",
    backtracking: bool = False,  # noqa: FBT001, FBT002 - see above
    max_steps: int = 100,
    difficulty: int | list[int] | list[str] | None = None,
    levels: str | None = None,
    history: str = "full",
    prompting: str = "standard",
    observation: str = "text",
    max_invalid_retries: int = 2,
    example: bool = False,  # noqa: FBT001, FBT002 - see above
    **unknown: object,
) -> Task:
    """SpatialGym: draw a line that obeys every rule on the board.

    Args:
        mode: ``step``: one move in a turn; ``one_shot``: the whole path in one message.
        backtracking: whether the model may step back onto the previous cell (step mode only).
        max_steps: move limit of an episode (step mode only).
        difficulty: levels 1 to 5; by default all, in turn.
        levels: a file or folder of SPaRC records, or a suite.
        history: as for ``maze_nlu``, and so are the others.
        prompting: see there.
        observation: see there.
        max_invalid_retries: see there.
        example: see there.
        unknown: see there.
    """
    with _plainly():
        _refuse(unknown)
        if mode not in {"step", "one_shot"}:
            msg = f"mode must be step or one_shot, got {mode!r}"
            raise MazeGymError(msg)
        make: dict[str, Any] = {"max_steps": "board"}  # no line without a crossing is too long for that
        if mode == "step":
            make = {"max_steps": max_steps, "backtracking": backtracking}
        told = _config(history, prompting, observation, max_invalid_retries, example, **_spatial(mode))
        wanted = _difficulties(difficulty)
        specs = episodes("SpatialGym-v0", told, levels=levels, make=make)
        return _task(spec for spec in specs if spec.tags["difficulty"] in wanted)


def _refuse(unknown: Mapping[str, object]) -> None:
    """Inspect hands the name of the model to every task; anything else is an option that there is not."""
    for name in unknown:
        if name != "model":
            msg = f"there is no option {name!r}"
            raise MazeGymError(msg)


def _difficulties(wanted: object) -> Sequence[int]:
    if wanted is None:
        return _DIFFICULTIES
    chosen = _whole_numbers("difficulty", wanted)
    if not chosen or any(each not in _DIFFICULTIES for each in chosen):
        msg = f"difficulty must be from {_DIFFICULTIES[0]} to {_DIFFICULTIES[-1]}, got {wanted!r}"
        raise MazeGymError(msg)
    return chosen


def _whole_numbers(name: str, given: object) -> list[int]:
    """One number or several; Inspect's command line hands ``1,2`` over as strings."""
    try:
        return [int(str(each)) for each in (given if isinstance(given, list | tuple) else [given])]
    except ValueError as error:
        msg = f"{name} must be a whole number, or several as in 1,2; got {given!r}"
        raise MazeGymError(msg) from error


def _spatial(mode: str) -> dict[str, Any]:
    if mode == "step":
        return {}
    return {
        "querying": Querying.FULL_TRAJECTORY,
        "reply_format": ReplyFormat.COORDINATES,
        "coordinates": Coordinates.X_Y,
    }


@_solver.solver
def play_in_words() -> Solver:
    """Let the model play the episode in a sample's metadata."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        spec = SessionSpec.from_dict(state.metadata)
        session = await asyncio.to_thread(Session, spec)
        is_full = session.config.history == History.FULL
        system = _model.ChatMessageSystem(content=session.system)
        state.messages = [system]
        prompt = session.prompt
        try:
            while not session.ended and not state.completed:
                state.messages = [*(state.messages if is_full else [system]), _user(prompt)]
                state = await generate(state)
                prompt = session.reply(state.output.completion)
        finally:  # a limit ends the sample by an exception: what was played until then is scored
            state.store.set(_OUTCOME, session.outcome())
            session.close()
        return state

    return solve


@_scorer.scorer(metrics={"*": [_scorer.mean(), _scorer.stderr()]})
def outcome() -> Scorer:
    """Success, what the world itself measures, and what became of replies; a mean of each."""

    async def score(state: TaskState, target: Target) -> Score:
        del target  # it is the same for every episode: success
        played = state.store.get(_OUTCOME)
        values = {"success": float(played["is_success"]), **played["game"]}
        values |= {name: float(played[name]) for name in _MEASURES}
        told = ", ".join(played["actions"])
        return _scorer.Score(
            value=values, answer=told, explanation=str(played["end_reason"]), metadata=played
        )

    return score


def _task(specs: Iterable[SessionSpec]) -> Task:
    samples = []
    for spec in specs:
        session = Session(spec)
        samples.append(
            _dataset.Sample(id=spec.key, input=session.prompt.text, target="success", metadata=spec.to_dict())
        )
        session.close()
    return inspect_ai.Task(dataset=samples, solver=play_in_words(), scorer=outcome())


def _config(
    history: str,
    prompting: str,
    observation: str,
    retries: int,
    example: bool,  # noqa: FBT001 - handed on as it came
    **more: Any,  # noqa: ANN401 - fields of the config
) -> ExperimentConfig:
    if history not in {"full", "current"}:
        msg = f"history must be full or current, got {history!r}"
        raise MazeGymError(msg)
    fields = {
        "history": History.FULL if history == "full" else History.WINDOW,
        "prompting": prompting,
        "observation": observation,
        "retries": retries,
        "example": example,
    }
    return ExperimentConfig.from_dict({**fields, **more})


def _user(prompt: Prompt) -> ChatMessageUser:
    if prompt.image is None:
        return _model.ChatMessageUser(content=prompt.text)
    url = f"data:image/png;base64,{base64_of(prompt.image)}"
    return _model.ChatMessageUser(
        content=[_model.ContentImage(image=url), _model.ContentText(text=prompt.text)]
    )


@contextlib.contextmanager
def _plainly() -> Iterator[None]:
    """A wrong option is one line on Inspect's command line, not a traceback."""
    try:
        yield
    except (MazeError, MazeGymError) as error:
        plain = require("inspect_ai._util.error", "inspect").PrerequisiteError
        msg = f"maze_gym: {error}"
        raise plain(msg) from error
