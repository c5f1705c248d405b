"""The worlds for TRL's ``GRPOTrainer(environment_factory=...)``: a class whose one tool is an action.

``make_environment(episodes)`` gives a class that needs no arguments. ``reset`` takes a row of the training
data (see ``rows``), so that all completions of a group play the same episode. TRL tells the model of a tool
by its docstring. Nothing here imports TRL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from maze_gym.errors import InvalidArgument
from maze_gym.game import ReplyFormat
from maze_gym.integrations.sessions import Session, SessionSpec
from maze_gym.llm.formats import speak
from maze_gym.llm.parsing import ParsedReply, parse
from maze_gym.llm.prompts import at_turn, grammar_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from maze_gym.llm.reading import Grammar

ENDED = "The episode has ended."
QUESTION = "Play the game below by calling the tool `act`, one action at a time, until it has ended.\n\n"


def rows(specs: Iterable[SessionSpec]) -> list[dict[str, Any]]:
    """The training data: the opening of each chat, and the key of its episode."""
    return [{"prompt": [{"role": "user", "content": QUESTION}], "episode": spec.key} for spec in specs]


class GameEnvironment:
    """One episode at a time, played by calls of ``act``; ``make_environment`` says which there are."""

    _known: ClassVar[Mapping[str, SessionSpec]] = {}

    def __init__(self) -> None:
        """Begin without an episode."""
        self._session: Session | None = None

    def reset(self, **row: Any) -> str:  # noqa: ANN401 - columns of any data set
        """Begin the episode that a row names; the text is added to the last message of its prompt."""
        spec = self._known.get(str(row.get("episode")))
        if spec is None:
            msg = f"the row must name one of {len(self._known)} episodes, got {row.get('episode')!r}"
            raise InvalidArgument(msg)
        if self._session is not None:
            self._session.close()
        session = Session(spec)
        self._session = session
        # Not the system text: it asks for a reply format, and here a tool is called instead.
        told = session.game.describe(session.config.wording)
        actions = f"The actions are {', '.join(session.game.action_names)}."
        return "\n\n".join(filter(None, [told.rules, told.level, actions, session.prompt.text]))

    def act(self, action: str) -> str:
        """Take one action in the game.

        Args:
            action: The name of the action, as the rules list it.

        Returns:
            What came of it, and the situation now.
        """
        session = self._playing()
        if session.ended:
            raise ValueError(ENDED)
        now = session.game.describe(session.config.wording)
        asked = at_turn(session.config, grammar_for(session.config, session.game), now)
        reading = parse(f"Final: {action}", asked._replace(format=ReplyFormat.FINAL))
        if isinstance(reading, ParsedReply):
            told = session.reply(speak(reading.actions, asked)).text
        else:
            session.reply("")  # counted, and never played, even where it is an answer in another format
            told = _refusal(action, asked)
        return told if session.reason is None else f"{told}\n\n{ENDED}"

    def get_reward(self) -> float:
        """1.0 if the episode was won, else 0.0."""
        return float(self._outcome()["is_success"])

    def _outcome(self) -> dict[str, Any]:
        """``Session.outcome``, for reward functions of one's own; a public method would be a tool."""
        return self._playing().outcome()

    def _playing(self) -> Session:
        if self._session is None:
            msg = "there is no episode yet; call reset() first"
            raise InvalidArgument(msg)
        return self._session


def _refusal(action: str, asked: Grammar) -> str:
    """What was wrong, in words of the tool: the session's own ask for a format that it does not use."""
    names, fault = asked.action_names, "no action"
    if asked.legal is not None:
        names, fault = tuple(names[each] for each in asked.legal), "no action that is open to you now"
    return f"{action!r} is {fault}; call act with one of {', '.join(names)}."


def make_environment(specs: Iterable[SessionSpec]) -> type[GameEnvironment]:
    """A class for ``environment_factory`` that plays these episodes.

    Raises:
        InvalidArgument: an episode asks for whole plans, which a tool that takes one action cannot give.
    """
    known = {spec.key: spec for spec in specs}
    for spec in known.values():
        querying = spec.config.get("querying", "step")
        if querying != "step":
            msg = f"a tool takes one action; make episodes with querying='step', not {querying!r}"
            raise InvalidArgument(msg)
    return type("GameEnvironment", (GameEnvironment,), {"_known": known})
