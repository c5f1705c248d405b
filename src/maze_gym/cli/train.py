"""``maze-gym train``: a policy by PPO, tested on levels that it never sees."""

from __future__ import annotations

import importlib.util
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from maze_gym.cli.console import say, warn
from maze_gym.cli.other_worlds import chosen
from maze_gym.cli.run_options import LEVELS, takes
from mazegen.core.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.training import TrainConfig
    from maze_gym.training.run import Progress

RECIPE = "Recipe"
ON_TRAINING_LEVELS = (
    "these are the levels it trains on; --tier N, or a preset that generates its levels, has others"
)


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """What is trained on what, and how; each field is an option.

    The defaults are those of ``TrainConfig``, which would slow down every command if it were imported here; a
    test compares them.
    """

    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run.")]
    env: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="The world, or a preset; by default that of --levels, or MazeNLU-v0."
        ),
    ] = None
    tier: Annotated[int | None, typer.Option(help="Levels of this difficulty tier, 1 to 5.")] = None
    levels: Annotated[
        str | None,
        typer.Option(metavar=LEVELS, help="These levels alone; it is then tested on them too."),
    ] = None
    num_levels: Annotated[
        int | None, typer.Option(min=1, help="So many generated levels; by default ever new ones.")
    ] = None
    steps: Annotated[int, typer.Option(min=1, help="Env steps in all.")] = 300_000
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False
    algorithm: Annotated[
        Literal["ppo", "maskable-ppo"],
        typer.Option(help="maskable-ppo never tries what has no effect.", rich_help_panel=RECIPE),
    ] = "ppo"
    network: Annotated[
        Literal["auto", "planner", "view", "flat"],
        typer.Option(help="planner and view read mazes, flat any world.", rich_help_panel=RECIPE),
    ] = "auto"
    shaping: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Reward for each action that the goal comes nearer, by exact search; 0 for none. "
            "By default 0.05 in MazeNLU, whose vector env can ask it, and 0 in other worlds.",
            rich_help_panel=RECIPE,
        ),
    ] = None
    envs: Annotated[int, typer.Option(min=1, help="Envs side by side.", rich_help_panel=RECIPE)] = 256
    rollout: Annotated[
        int, typer.Option(min=2, help="Steps of each between two updates.", rich_help_panel=RECIPE)
    ] = 64
    batch_size: Annotated[
        int, typer.Option(min=1, help="Samples of a gradient step.", rich_help_panel=RECIPE)
    ] = 2048
    epochs: Annotated[
        int, typer.Option(min=1, help="How often an update goes through its samples.", rich_help_panel=RECIPE)
    ] = 4
    learning_rate: Annotated[
        float, typer.Option(help="At the beginning; it falls to almost 0.", rich_help_panel=RECIPE)
    ] = 1e-3
    entropy: Annotated[
        float, typer.Option(min=0, help="Weight of the entropy bonus, falling too.", rich_help_panel=RECIPE)
    ] = 0.02
    gamma: Annotated[float, typer.Option(min=0, max=1, help="Discount.", rich_help_panel=RECIPE)] = 0.99
    eval_every: Annotated[int, typer.Option(min=1, help="Steps between two tests.")] = 65_536
    eval_episodes: Annotated[int, typer.Option(min=1, help="Held-out levels of a test.")] = 200
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Write TensorBoard files.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each test.")] = False

    def config(self) -> TrainConfig:
        """The training that these options describe."""
        from maze_gym.registration import world_of
        from maze_gym.training import TrainConfig
        from maze_gym.training.levels import GUIDED

        env_id = chosen(self.env, self.levels)
        nearer = TrainConfig().shaping if world_of(env_id).id in GUIDED else 0.0
        return TrainConfig(
            env_id=env_id,
            env_kwargs={} if self.tier is None else {"tier": self.tier},
            levels=self.levels,
            num_levels=self.num_levels,
            seed=self.seed,
            steps=self.steps,
            algorithm=self.algorithm,
            network=self.network,
            shaping=nearer if self.shaping is None else self.shaping,
            envs=self.envs,
            rollout=self.rollout,
            batch_size=self.batch_size,
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            entropy=self.entropy,
            gamma=self.gamma,
            eval_every=self.eval_every,
            eval_episodes=self.eval_episodes,
            log=self.tensorboard,
        )

    def evaluation(self) -> str:
        """The command by which the policy plays levels of the kind that it was trained on."""
        command = ["maze-gym", "evaluate", "--env", chosen(self.env, self.levels)]
        command += [] if self.tier is None else ["--tier", str(self.tier)]
        command += [] if self.levels is None else ["--levels", self.levels]
        return shlex.join([*command, "--policy", f"sb3:{self.out}"])


@takes(TrainOptions)
def train(options: TrainOptions) -> None:
    """Train a policy, then let it play: maze-gym evaluate --policy sb3:DIR.

    Example: maze-gym train --env MazeNLU-Navigation-9x9-v0 --out runs/navigation
    """
    from maze_gym import training
    from maze_gym.training.levels import has_held_out

    config, out = options.config(), options.out
    show = _Display(config, as_json=options.as_json, held_out=has_held_out(config))
    try:
        with show:
            training.train(config, out, resume=options.resume, on_progress=show.test, on_step=show.step)
    except KeyboardInterrupt:
        warn("interrupted; the same command with --resume goes on from the last checkpoint")
        raise typer.Exit(INTERRUPTED) from None
    if importlib.util.find_spec("matplotlib") is None:
        warn("no curves.png: pip install 'maze-gym[plot]'")
    else:
        from maze_gym.training.curves import draw_curves

        draw_curves(out / "progress.jsonl", out / "curves.png")
    if not options.as_json:
        say(f"wrote {out}; play it: {options.evaluation()}", hang=2)


class _Display:
    """A line for each test; a bar on stderr while that is a terminal."""

    def __init__(self, config: TrainConfig, *, as_json: bool, held_out: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._as_json, self._held_out = as_json, held_out
        self._is_first = True
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("training", total=config.steps)

    def __enter__(self) -> None:
        self._bar.start()

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def step(self, steps: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=steps)

    def test(self, now: Progress) -> None:
        """Print how good the policy is, and once if that is on the levels it trains on."""
        if self._is_first and not self._held_out:
            warn(ON_TRAINING_LEVELS)
        self._is_first = False
        if self._as_json:
            typer.echo(now.to_json())
        else:
            say(" | ".join(_words(now, held_out=self._held_out)), hang=11)


def _words(now: Progress, *, held_out: bool) -> Iterator[str]:
    low, high = now.greedy.interval
    episodes = now.greedy.episodes
    tests = f"{episodes} levels" if held_out else f"its training levels, {episodes} episodes"
    yield f"{now.steps:>10,} steps"
    yield f"tested on {tests}: {now.greedy.rate:6.1%} ({low:.1%} - {high:.1%})"
    yield f"sampled {now.sampled.rate:6.1%}"
    yield f"training {'-' if now.training_success is None else f'{now.training_success:.0%}'}"
    yield f"{now.cpu_s:.0f} s CPU"
