"""Human play: keys in, the same record out as for any policy; driven by SDL events without a screen."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit, TransformObservation
from typer.testing import CliRunner

from maze_gym import evaluation, suites
from maze_gym.cli import app as cli_app
from maze_gym.errors import InvalidArgument, NotWritten
from maze_gym.evaluation.episode import EpisodeRecord, run_episode
from maze_gym.evaluation.plan import episode_seed, make_plan
from maze_gym.game import Level
from maze_gym.play import PlayApp, PlaySession, launch
from maze_gym.play.bindings import COMMANDS, KEYS_OF_ACTION, action_bindings, command_bindings
from maze_gym.play.page import Page
from maze_gym.play.recording import ReplayedPerson
from maze_gym.play.screen import draw_screen, verdict
from mazegen.core.rules import Action
from mazegen.errors import SearchLimitExceeded
from mazegen.rendering.canvas import NoDisplay
from mazegen.rendering.picture import parse

from ..levels import ALL_KINDS, CORRIDOR

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

STUCK = parse("#######\n#>r.R*#\n#######", level_id="stuck")  # a corridor that needs its key
LEVELS = (CORRIDOR, ALL_KINDS, STUCK)
CODES = {"left": pygame.K_LEFT, "right": pygame.K_RIGHT, "up": pygame.K_UP, "down": pygame.K_DOWN}


def levels(*mazes: Maze) -> list[Level]:
    return [Level(maze.level_id, maze.content_hash, {"maze": maze}) for maze in mazes]


def make(*mazes: Maze, **kwargs: Any) -> gym.Env[Any, int]:
    env: gym.Env[Any, int] = gym.make(
        "MazeNLU-v0", mazes=list(mazes), render_mode="rgb_array", render_size=120, **kwargs
    )
    return env


def session(*mazes: Maze, record: Path | None = None) -> PlaySession:
    mazes = mazes or LEVELS
    return PlaySession(make(*mazes), levels(*mazes), seed=7, record=record)


def press(*keys: str) -> list[pygame.event.Event]:
    return [
        pygame.event.Event(kind, key=CODES.get(key) or pygame.key.key_code(key), mod=0)
        for key in keys
        for kind in (pygame.KEYDOWN, pygame.KEYUP)
    ]


@pytest.fixture(autouse=True)
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()


def play(app: PlayApp, *keys: str) -> None:
    """Run the real loop of the window over these keys."""
    pygame.display.init()
    pygame.event.clear()
    for event in (*press(*keys), pygame.event.Event(pygame.QUIT)):
        pygame.event.post(event)
    app.run()
    assert not pygame.display.get_init()


def records(path: Path) -> list[EpisodeRecord]:
    return [EpisodeRecord.from_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("which", [0, 1])
def test_every_action_has_an_arrow_or_a_letter(which: int) -> None:
    keys = [KEYS_OF_ACTION[action.name][which] for action in Action]
    game = session(ALL_KINDS)
    app = PlayApp(game)
    for event in press(*keys):
        app.handle(event)
    assert game.actions == [int(action) for action in Action]


def test_no_key_means_two_things() -> None:
    names = tuple(action.name for action in Action)
    keys = [key for binding in (*action_bindings(names), *command_bindings()) for key in binding.keys]
    assert len(keys) == len(set(keys))


def test_playing_in_the_window_to_the_win_screen() -> None:
    game = session(CORRIDOR, ALL_KINDS)
    play(PlayApp(game), "up", "up")
    assert (game.is_over, game.is_won, game.steps, game.optimum) == (True, True, 2, 2)
    assert verdict(game) == "You made it in 2 steps: that is the optimum."


def test_a_detour_is_counted_against_the_optimum() -> None:
    game = session(CORRIDOR)
    for action in (0, 1, 2, 2):
        game.act(action)
    assert verdict(game) == "You made it in 4 steps, 2 more than the optimum of 2."


def test_after_the_end_nothing_moves_until_restart_or_next() -> None:
    game = session(CORRIDOR, ALL_KINDS)
    app = PlayApp(game)
    for event in press("w", "w", "w", "a"):
        app.handle(event)
    assert game.steps == 2
    assert "over" in game.message
    app.handle(press("r")[0])
    assert (game.steps, game.is_over) == (0, False)
    app.handle(press("n")[0])
    assert game.title == "all_kinds"
    app.handle(press("n")[0])
    assert game.title == "corridor"
    app.handle(press("b")[0])
    assert game.title == "all_kinds"


def test_undo_takes_back_one_action_and_the_world_with_it() -> None:
    game = session(ALL_KINDS)
    states = [game.env.unwrapped.state]  # type: ignore[attr-defined]  # of our own env
    for action in (1, 1, 2, 3, 2):
        game.act(action)
        states.append(game.env.unwrapped.state)  # type: ignore[attr-defined]  # as above
    for expected in reversed(states[:-1]):
        game.undo()
        assert game.env.unwrapped.state == expected  # type: ignore[attr-defined]  # as above
    game.undo()
    assert game.message == "There is nothing to undo."


def test_following_the_hints_is_optimal() -> None:
    game = session(ALL_KINDS)
    names = {name.lower().replace("_", " "): index for index, name in enumerate(game.action_names)}
    while not game.is_over:
        game.ask()
        game.act(names[game.hint])
        assert game.hint == ""
    assert game.is_won
    assert game.steps == game.optimum
    game.ask()
    assert game.hint == ""


def test_a_hint_in_a_dead_end_says_so() -> None:
    maze = parse("########\n#>rRR.*#\n########", key_consumption=True, level_id="dead")
    game = PlaySession(make(maze, max_steps=50), levels(maze))
    game.ask()
    assert "no way to the goal" in game.hint


def test_a_level_too_large_for_the_oracle_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(_: object) -> None:
        raise SearchLimitExceeded

    game = session(CORRIDOR)
    monkeypatch.setattr(type(game.env.unwrapped), "optimal_action", give_up)
    game.ask()
    assert game.message == "This level is too large for the oracle."


def test_long_titles_keep_their_end() -> None:
    maze = replace(CORRIDOR, level_id="x" * 60 + "the-end")
    page = draw_screen(session(maze))
    assert page.surface.get_size() == (1050, 720)


def test_a_record_is_that_of_any_policy(tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    game = session(CORRIDOR, ALL_KINDS, record=file)
    play(PlayApp(game), "up", "up", "n", "right", "q")
    finished, aborted = records(file)
    same = run_episode(
        game.env, ReplayedPerson("human", [2, 2]), seed=episode_seed(7, 0), options={"maze": CORRIDOR}
    )
    assert finished == same
    assert (finished.success, finished.steps, finished.optimal_actions) == (True, 2, 2)
    assert (finished.env_id, finished.policy, finished.seed) == ("MazeNLU-v0", "human", episode_seed(7, 0))
    assert (aborted.end_reason, aborted.success, aborted.actions) == ("aborted", None, (1,))


def test_a_person_plays_the_very_episodes_of_a_policy(tmp_path: Path) -> None:
    run = make_plan(["oracle"], tier=1, episodes=2, seed=5)
    theirs = list(evaluation.play(run))
    game = PlaySession(*launch.make_env("MazeNLU-v0", tier=1), seed=5, record=tmp_path / "me.jsonl")
    for record in theirs:
        for action in record.actions:
            game.act(action)
        game.move_on()
    mine = records(tmp_path / "me.jsonl")
    assert [replace(record, policy="oracle") for record in mine] == theirs


def test_help_is_written_into_the_record(tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    game = session(CORRIDOR, record=file)
    game.act(0)
    game.undo()
    game.ask()
    game.act(2)
    game.act(2)
    assert records(file)[0].policy == "human+hint+undo"
    game.undo()
    assert "recorded" in game.message
    game.restart()
    game.restart()  # nothing was done in between, so there is nothing to record
    assert len(records(file)) == 1


FULL = Path("/dev/full")
on_a_full_disk = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")


@on_a_full_disk
def test_a_full_disk_is_said_and_ends_no_game() -> None:
    game = session(CORRIDOR, ALL_KINDS, record=FULL)
    game.act(2)
    game.act(2)
    assert game.is_won
    assert game.message.startswith("Not recorded: ")
    assert "the disk is full" in game.message
    game.move_on()
    game.act(1)
    game.restart()
    assert (game.title, game.steps) == ("all_kinds", 0)
    assert game.message.startswith("Not recorded: ")
    game.act(1)
    assert not game.message.startswith("Not recorded: ")


@on_a_full_disk
def test_an_episode_that_is_lost_with_the_window_is_an_error() -> None:
    with pytest.raises(NotWritten, match=r"Not recorded: .*the disk is full"):
        play(PlayApp(session(CORRIDOR, record=FULL)), "up")
    assert not pygame.display.get_init()


def test_a_file_that_is_gone_is_said_by_its_reason(tmp_path: Path) -> None:
    game = session(CORRIDOR, record=tmp_path / "gone" / "me.jsonl")
    game.act(2)
    game.act(2)
    assert game.message == "Not recorded: there is no such file or folder."


def test_a_line_that_was_left_unfinished_spoils_no_record(tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    game = session(CORRIDOR, record=file)
    for _ in range(2):
        game.act(2)
        game.act(2)
        game.restart()
    first, second = records(file)
    assert first == second
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: len(text) * 3 // 4], encoding="utf-8")
    game.act(2)
    game.act(2)
    assert records(file) == [first, second]


def test_a_level_that_ran_out_of_steps_is_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    game = PlaySession(make(ALL_KINDS, max_steps=3), levels(ALL_KINDS), record=file)
    for _ in range(4):
        game.act(0)
    assert verdict(game) == "The episode ended after 3 steps without success."
    assert (records(file)[0].end_reason, records(file)[0].success) == ("timeout", False)
    assert draw_screen(game).surface.get_size() == (1050, 720)


def test_play_works_through_a_stack_of_wrappers(tmp_path: Path) -> None:
    file = tmp_path / "me.jsonl"
    env = make(CORRIDOR)
    blank = spaces.Box(0, 1, (1,), np.float32)
    stack = TimeLimit(TransformObservation(env, lambda _: np.zeros(1, np.float32), blank), 3)
    game = PlaySession(stack, levels(CORRIDOR), record=file)
    before = game.frame()
    game.act(2)
    assert (game.frame() != before).any()
    game.act(0)
    game.undo()
    game.act(2)
    assert (game.is_won, records(file)[0].steps) == (True, 2)


class Counter(gym.Env[Any, Any]):
    """A foreign world: no names, no oracle, actions that begin at 5."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium has it
    observation_space = spaces.Discrete(10)
    action_space = spaces.Discrete(2, start=5)

    def __init__(self, render_mode: str = "rgb_array") -> None:
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.count = int(self.np_random.integers(3))
        return self.count, {}

    def step(self, action: np.int64) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.count += int(action) - 5
        return self.count, 0.5, self.count > 5, False, {"is_success": self.count > 5}

    def render(self) -> Any:
        return np.full((900, 1200, 3), self.count * 20, np.uint8)


def counter(**kwargs: Any) -> Counter:
    return Counter(**kwargs)


def test_a_foreign_world_is_played_with_digits(tmp_path: Path) -> None:
    game = PlaySession(Counter(), record=tmp_path / "me.jsonl", seed=3)
    app = PlayApp(game)
    first = game.title
    for event in press("0", "1", "1", "h"):
        app.handle(event)
    assert (game.actions, game.optimum, game.steps_left) == ([0, 1, 1], None, None)
    assert "no oracle" in game.message
    while not game.is_over:
        game.act(1)
    assert verdict(game).startswith("You made it in")
    assert records(tmp_path / "me.jsonl")[0].actions[:3] == (5, 6, 6)
    assert draw_screen(game).surface.get_size() == (1050, 720)
    game.move_on()
    assert game.title != first
    other = PlaySession(Counter(), seed=3)
    other.move_on()
    assert game.title == other.title  # the second level of this seed, whoever plays it


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (lambda: gym.make("MazeNLU-v0", maze=CORRIDOR), "is set to draw nothing"),
        (lambda: gym.make("MazeNLU-v0", maze=CORRIDOR, render_mode="human"), "is set to draw human"),
    ],
)
def test_an_env_that_cannot_be_drawn_is_refused(env: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        PlaySession(env())


def test_actions_that_do_not_fit_on_keys_are_refused() -> None:
    world = Counter()
    world.action_space = spaces.Box(0, 1, (2,))  # type: ignore[assignment]  # that is the point
    with pytest.raises(InvalidArgument, match="Discrete"):
        PlaySession(world)


def test_a_screenshot_is_the_window_and_never_overwrites(tmp_path: Path) -> None:
    game = session(CORRIDOR)
    app = PlayApp(game, screenshots=tmp_path)
    for event in press("c", "f12"):
        app.handle(event)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corridor-1.png", "corridor-2.png"]
    assert game.message == "Saved corridor-2.png."
    assert pygame.image.load(tmp_path / "corridor-1.png").get_size() == (1050, 720)
    PlayApp(game, screenshots=tmp_path / "nowhere").screenshot()
    assert game.message == "Cannot save a screenshot: there is no such file or folder."


def test_keys_that_mean_nothing_change_nothing() -> None:
    game = session(ALL_KINDS)
    app = PlayApp(game)
    assert [app.handle(event) for event in press("f5", "tab", "9")] == [False] * 6
    assert not app.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(1, 1), rel=(0, 0), buttons=(0, 0, 0)))
    assert game.actions == []


def test_the_screen_says_what_there_is_to_know(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    original = Page.text

    def spy(self: Page, row: int, col: int, words: str, **style: Any) -> int:
        written.append(words)
        return original(self, row, col, words, **style)

    monkeypatch.setattr(Page, "text", spy)
    game = session(ALL_KINDS)
    game.act(1)
    game.ask()
    draw_screen(game, recording_to="me.jsonl")
    for words in ("all_kinds", "recording to me.jsonl", str(game.optimum), "You turn and now face east."):
        assert words in written
    assert any(line.startswith("Hint: ") for line in written)
    meanings = [name.lower().replace("_", " ") for name in game.action_names]
    assert set(meanings) | set(COMMANDS) <= set(written)


def test_the_win_screen_holds_your_steps_against_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    original = Page.text

    def spy(self: Page, row: int, col: int, words: str, **style: Any) -> int:
        written.append(words)
        return original(self, row, col, words, **style)

    monkeypatch.setattr(Page, "text", spy)
    game = session(CORRIDOR)
    for action in (0, 1, 2, 2):
        game.act(action)
    draw_screen(game)
    place = written.index("Solved!")
    assert written[place + 1] == verdict(game)
    assert written[place + 2 : place + 6] == ["you", "4", "optimum", "2"]


def test_long_words_are_broken_to_fit() -> None:
    page = Page(100, 100)
    lines = page.wrap("short " + "x" * 60, 80, 15)
    assert "".join(lines).replace("short", "") == "x" * 60
    assert all(page.text_width(line, 15) <= 80 for line in lines)
    assert page.wrap("", 80, 15) == []


def launched(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[Any, list[PlaySession]]:
    """Run ``maze-gym play`` with a window that closes at once."""
    seen: list[PlaySession] = []

    def run(self: PlayApp) -> None:
        seen.append(self.session)

    monkeypatch.setattr(PlayApp, "run", run)
    return CliRunner().invoke(cli_app, ["play", *arguments]), seen


def test_the_command_plays_the_suite_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    result, (game,) = launched(monkeypatch, "--seed", "4")
    assert result.exit_code == 0, result.output
    assert game.title == suites.load("starter")[0].level_id
    assert (game.seed, len(game.levels)) == (4, len(suites.load("starter")))


@pytest.mark.parametrize("arguments", [["--tier", "2"], ["--env", "MazeNLU-KeyDoor-9x9-v0"]])
def test_levels_that_are_made_are_made_for_the_seed(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [launched(monkeypatch, *arguments, "--seed", seed)[1][0] for seed in ("1", "1", "2")]
    hashes = [game.env.unwrapped.maze.content_hash for game in games]  # type: ignore[attr-defined]  # of our own env
    assert hashes[0] == hashes[1] != hashes[2]
    game = games[0]
    for _ in range(2):
        game.act(0)
    game.undo()
    assert game.env.unwrapped.maze.content_hash == hashes[0]  # type: ignore[attr-defined]  # as above
    first = game.frame().shape
    game.move_on()
    assert game.env.unwrapped.maze.content_hash != hashes[0]  # type: ignore[attr-defined]  # as above
    assert game.frame().shape == first == (720, 720, 3)
    game.move_on(-1)
    assert game.env.unwrapped.maze.content_hash == hashes[0]  # type: ignore[attr-defined]  # as above


def test_the_command_plays_any_gymnasium_world(monkeypatch: pytest.MonkeyPatch) -> None:
    gym.register("Counter-v0", entry_point=counter)
    try:
        result, (game,) = launched(monkeypatch, "--env", "Counter-v0")
        assert (result.exit_code, game.levels) == (0, ())
    finally:
        del gym.registry["Counter-v0"]


def test_the_command_plays_a_world_that_another_module_registers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_strangers_worlds.py").write_text(
        "import gymnasium\n"
        "gymnasium.register('Stranger-v0', 'gymnasium.envs.toy_text.frozen_lake:FrozenLakeEnv')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    try:
        result, (game,) = launched(monkeypatch, "--env", "a_strangers_worlds:Stranger-v0")
        assert (result.exit_code, game.levels) == (0, ())
    finally:
        gym.registry.pop("Stranger-v0", None)
        sys.modules.pop("a_strangers_worlds", None)


def test_worlds_of_this_suite_keep_their_levels_under_their_module(monkeypatch: pytest.MonkeyPatch) -> None:
    result, (game,) = launched(monkeypatch, "--env", "maze_gym:MazeNLU-v0")
    assert (result.exit_code, len(game.levels)) == (0, len(suites.load("starter")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--level", "starter", "--tier", "2"], "levels of its own"),
        (["--env", "MazeNLU-KeyDoor-9x9-v0", "--tier", "2"], "levels of its own"),
        (["--env", "PacmanArray-v0", "--tier", "2"], "no difficulty tiers"),
        (["--tier", "9"], "tier must be one of"),
        (["--env", "Nothing-v0"], "MazeNLU-v0"),
        (["--env", "gymnasium:Nothing-v0"], "nothing is registered as 'gymnasium:Nothing-v0'"),
        (["--env", "no_such_module:Nothing-v0"], "cannot import 'no_such_module'"),
        (["--record", "/nowhere/at/all.jsonl"], "cannot record"),
    ],
)
def test_what_cannot_be_played_is_said(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, seen = launched(monkeypatch, *arguments)
    assert message in str(result.exception)
    assert not seen


def test_without_a_screen_play_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplay, match="no display"):
        launch.play(levels="starter")


def test_the_module_is_the_same_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import runpy
    import sys

    called: list[list[str]] = []
    monkeypatch.setattr("maze_gym.cli.main", lambda: called.append(list(sys.argv)))
    monkeypatch.setattr(sys, "argv", ["python -m maze_gym.play", "--seed", "3"])
    runpy.run_module("maze_gym.play", run_name="__main__")
    assert called[0][1:] == ["play", "--seed", "3"]


def test_a_bundled_level_can_be_won_by_keys_alone(tmp_path: Path) -> None:
    """Every level of the suite, played in the window's own loop with the keys of the oracle's plan."""
    mazes = suites.load("starter")
    file = tmp_path / "me.jsonl"
    game = PlaySession(make(*mazes), levels(*mazes), record=file)
    app = PlayApp(game)
    for _ in mazes:
        while not game.is_over:
            best = game.env.unwrapped.optimal_action()  # type: ignore[attr-defined]  # of our own env
            app.handle(press(KEYS_OF_ACTION[Action(best).name][0])[0])
        app.handle(press("n")[0])
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(mazes)
    assert all(line["success"] and line["steps"] == line["optimal_actions"] for line in lines)
