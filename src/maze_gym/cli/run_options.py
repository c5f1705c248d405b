"""Options as records: what a run is, written once for ``evaluate`` and ``plan``."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from maze_gym.cli.other_worlds import chosen
from maze_gym.game import Coordinates, Prompting, ReplyFormat
from maze_gym.llm.config import Constrain, History, Observe, Querying

if TYPE_CHECKING:
    from collections.abc import Callable

    from maze_gym.evaluation import EvalPlan
    from maze_gym.llm.backends.server import Service

LEVELS = "FILE|FOLDER|SUITE|LEVEL"
DEFAULT_POLICIES = ("random", "greedy", "oracle")
MODELS, SERVERS = "Language models", "Servers of language models"

_T = TypeVar("_T")


@dataclass(frozen=True)
class RunOptions:
    """What is played by whom, and how models are told and asked; each field is an option."""

    levels: Annotated[
        str | None,
        typer.Option(metavar=LEVELS, help="What to play; by default the world's own suite."),
    ] = None
    tier: Annotated[
        int | None, typer.Option(help="Generate levels of this difficulty tier, 1 to 5, instead.")
    ] = None
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays; repeat for several. By default random, greedy and oracle. "
            "Trained: ppo, sb3:DIR. "
            "Language models: openai:MODEL, hf:MODEL, transformers:MODEL, local:smollm2, scripted:FILE, "
            "noisy:SHARE, oracle-chat, random-chat."
        ),
    ] = None
    episodes: Annotated[
        int | None,
        typer.Option(min=1, help="Episodes per policy, visiting the levels in turn; by default one each."),
    ] = None
    augment: Annotated[
        str,
        typer.Option(
            metavar="rotate,mirror,recolour,rename",
            help="Play each level once more in these disguises, and tell what they cost.",
        ),
    ] = ""
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0
    env: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The world to play; by default that of the levels, or MazeNLU-v0."),
    ] = None
    prompting: Annotated[Prompting, typer.Option(help="How much is explained.", rich_help_panel=MODELS)] = (
        Prompting.STANDARD
    )
    observation: Annotated[Observe, typer.Option(help="What a turn shows.", rich_help_panel=MODELS)] = (
        Observe.TEXT
    )
    context: Annotated[
        str,
        typer.Option(
            metavar="current|lastN", help="How many earlier steps a turn repeats.", rich_help_panel=MODELS
        ),
    ] = "current"
    history: Annotated[
        History, typer.Option(help="Earlier turns: a window, or all as messages.", rich_help_panel=MODELS)
    ] = History.WINDOW
    querying: Annotated[
        Querying, typer.Option(help="How many actions a reply holds.", rich_help_panel=MODELS)
    ] = Querying.STEP
    reply_format: Annotated[
        ReplyFormat | None,
        typer.Option(help="How answers are marked; by default the world's way.", rich_help_panel=MODELS),
    ] = None
    retries: Annotated[
        int, typer.Option(min=0, help="How often an unusable reply is asked again.", rich_help_panel=MODELS)
    ] = 3
    stall_limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="End an episode after so many steps without a new state.", rich_help_panel=MODELS
        ),
    ] = None
    failure_limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="End an episode after so many failed actions in a row.", rich_help_panel=MODELS
        ),
    ] = None
    show_legal_actions: Annotated[
        bool,
        typer.Option(
            "--show-legal-actions", help="List what has an effect; refuse the rest.", rich_help_panel=MODELS
        ),
    ] = False
    example: Annotated[
        bool, typer.Option("--example", help="Show one example of a reply.", rich_help_panel=MODELS)
    ] = False
    coordinates: Annotated[
        Coordinates, typer.Option(help="How texts name cells.", rich_help_panel=MODELS)
    ] = Coordinates.ROW_COL
    cell_px: Annotated[
        int, typer.Option(min=1, help="Pixels a cell of the picture.", rich_help_panel=MODELS)
    ] = 32
    constrain: Annotated[
        Constrain, typer.Option(help="Hold replies to the format (llama.cpp).", rich_help_panel=MODELS)
    ] = Constrain.NONE
    temperature: Annotated[
        float, typer.Option(min=0, max=2, help="Of the model's sampling.", rich_help_panel=MODELS)
    ] = 0.0
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest single reply.", rich_help_panel=MODELS)] = (
        1024
    )
    price_in: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="US dollars for a million tokens sent; else MAZE_GYM_PRICE_IN.",
            rich_help_panel=SERVERS,
        ),
    ] = None
    price_out: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="US dollars for a million tokens of replies; else MAZE_GYM_PRICE_OUT.",
            rich_help_panel=SERVERS,
        ),
    ] = None
    timeout: Annotated[
        float, typer.Option(min=0.001, help="Seconds for one attempt.", rich_help_panel=SERVERS)
    ] = 120.0
    provider_retries: Annotated[
        int,
        typer.Option(
            min=0, help="Attempts after the first, where a server is busy or broken.", rich_help_panel=SERVERS
        ),
    ] = 5
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Send no more, retries included.", rich_help_panel=SERVERS)
    ] = None
    tokens_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Send and receive no more.", rich_help_panel=SERVERS)
    ] = None
    concurrency: Annotated[
        int, typer.Option(min=1, max=1000, help="Episodes at a time; it never changes a result.")
    ] = 1

    def plan(self) -> EvalPlan:
        """The run that these options describe.

        Raises:
            InvalidArgument: an option is wrong.
            LevelsNotFound: there is nothing of that name, or nothing in it.
            MazeFormatError: a level is broken.
        """
        from maze_gym import evaluation
        from maze_gym.evaluation.disguise import parse_disguises
        from maze_gym.llm.config import ExperimentConfig

        config = ExperimentConfig(
            prompting=self.prompting,
            observation=self.observation,
            context_window=self.context,
            history=self.history,
            querying=self.querying,
            reply_format=self.reply_format,
            retries=self.retries,
            stall_limit=self.stall_limit,
            failure_limit=self.failure_limit,
            show_legal_actions=self.show_legal_actions,
            example=self.example,
            coordinates=self.coordinates,
            cell_px=self.cell_px,
            constrain=self.constrain,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
        )
        return evaluation.make_plan(
            self.policy or DEFAULT_POLICIES,
            env_id=chosen(self.env, self.levels),
            levels=self.levels,
            tier=self.tier,
            episodes=self.episodes,
            seed=self.seed,
            config=config,
            augment=parse_disguises(self.augment),
        )

    def service(self) -> Service:
        """How servers are used.

        Raises:
            InvalidArgument: a price is no price, or one of the two is missing.
        """
        from maze_gym.llm.backends.server import Patience, Service, known_prices

        prices = known_prices(self.price_in, self.price_out)
        return Service(prices, self.timeout, Patience(self.provider_retries))


def takes(options: type[_T]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options, and hand them over as its first argument.

    Typer reads a command's signature; this one is put together, so that commands can share options which are
    written once, and hand many of them on as one. A field without a default has to be given.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        shared = typing.get_type_hints(options, include_extras=True)
        fields = [field for field in dataclasses.fields(options) if field.init]  # type: ignore[arg-type]  # a dataclass
        parameters = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default,
                annotation=shared[field.name],
            )
            for field in fields
        ]
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]

        @functools.wraps(function)
        def command(**given: Any) -> None:  # noqa: ANN401 - of many types, checked by typer
            picked = {field.name: given.pop(field.name) for field in fields}
            function(options(**picked), **given)

        command.__signature__ = inspect.Signature([*parameters, *own])  # type: ignore[attr-defined]  # read by inspect
        command.__annotations__ = {each.name: each.annotation for each in [*parameters, *own]}
        return command

    return decorate
