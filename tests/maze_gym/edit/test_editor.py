"""The level editor: every change is made or refused in words; driven by SDL events without a screen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from maze_gym import suites
from maze_gym.cli import app as cli_app
from maze_gym.edit import Editor, EditorApp, Tool, changes
from maze_gym.edit.changes import Refused, empty_maze
from maze_gym.edit.launch import open_editor
from maze_gym.edit.screen import TOOL_KEYS, draw_screen
from maze_gym.edit.verdict import judge
from maze_gym.envs.maze.env import GridWorldEnv
from maze_gym.errors import InvalidArgument
from maze_gym.play import PlayApp
from mazegen import codec
from mazegen.core.maze import KEY_COLORS, Facing, Maze, Position, Switch
from mazegen.core.rules import compile_board
from mazegen.errors import MazeFormatError
from mazegen.rendering.canvas import NoDisplay
from mazegen.rendering.picture import draw as draw_text
from mazegen.rendering.picture import parse
from mazegen.search import solver

from ...strategies import mazes
from ..levels import ALL_KINDS

CODES = {"left": pygame.K_LEFT, "right": pygame.K_RIGHT, "up": pygame.K_UP, "down": pygame.K_DOWN}


@pytest.fixture(autouse=True)
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return open_editor(tmp_path / "new.json", rows=5, cols=7)


def text(maze: Maze) -> list[str]:
    board = compile_board(maze)
    return draw_text(maze, board, board.start).splitlines()


def key(name: str, *, ctrl: bool = False) -> pygame.event.Event:
    pygame.display.init()  # names of keys are known only then
    code = CODES.get(name) or pygame.key.key_code(name)
    return pygame.event.Event(pygame.KEYDOWN, key=code, mod=pygame.KMOD_LCTRL if ctrl else 0)


def mouse(app: EditorApp, at: Position, kind: int, button: int = 1) -> pygame.event.Event:
    _, view = draw_screen(app.editor, app.cursor)
    pixel = (view.left + at.col * view.cell_px + 3, view.top + at.row * view.cell_px + 3)
    return pygame.event.Event(kind, pos=pixel, button=button, rel=(0, 0), buttons=(1, 0, 0))


def build(editor: Editor, tool: Tool, *places: tuple[int, int]) -> None:
    editor.choose(tool)
    for place in places:
        editor.use(Position(*place))


def test_a_whole_level_is_built_saved_and_played(editor: Editor) -> None:
    build(editor, Tool.WALL, (1, 3), (3, 3))
    editor.choose_color("blue")
    build(editor, Tool.DOOR, (2, 3))
    build(editor, Tool.KEY, (3, 1))
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.WALL, (1, 4), (3, 4))
    build(editor, Tool.SWITCH, (1, 2))
    build(editor, Tool.LINK, (1, 2), (2, 4))
    build(editor, Tool.START, (2, 1))
    editor.turn_start()
    assert text(editor.maze) == ["#######", "#.0##.#", "#>.B=.#", "#b.##*#", "#######"]
    assert editor.maze.switches[0].controls == ("g1",)
    verdict = editor.judge()
    assert verdict.is_solvable
    assert verdict.unnecessary == ()
    assert verdict.optimum == len(solver.solve(editor.maze).actions)
    editor.save()
    assert editor.message == "Saved new.json."
    saved = codec.load(editor.path)
    assert replace(saved, validation=None) == editor.maze
    assert saved.validation is not None
    assert saved.validation.is_valid, saved.validation.reasons
    _, info = GridWorldEnv(maze=editor.path).reset(seed=0)
    assert info["optimal_actions"] == verdict.optimum


def test_what_is_not_needed_is_named(editor: Editor) -> None:
    build(editor, Tool.KEY, (1, 2))
    build(editor, Tool.DOOR, (2, 2))
    build(editor, Tool.SWITCH, (3, 2))
    verdict = editor.judge()
    assert verdict.is_solvable
    assert sorted(verdict.unnecessary) == ["d1", "k1", "s1"]


def test_a_level_that_cannot_be_solved_is_saved_and_says_so(editor: Editor) -> None:
    build(editor, Tool.WALL, (1, 3), (2, 3), (3, 3))
    assert editor.judge().is_solvable is False
    editor.save()
    assert "cannot be solved" in editor.message
    validation = codec.load(editor.path).validation
    assert validation is not None
    assert (validation.is_valid, validation.reasons != ()) == (False, True)


def test_dead_ends_are_remarked_on() -> None:
    maze = parse("########\n#R.>rR*#\n########", key_consumption=True)
    verdict = judge(maze)
    assert verdict.is_solvable
    assert any("no way to the goal" in remark for remark in verdict.remarks)


def test_a_maze_too_large_for_a_proof_is_not_called_unsolvable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maze_gym.edit.verdict.MAX_STATES", 5)
    verdict = judge(ALL_KINDS)
    assert (verdict.is_solvable, verdict.optimum) == (None, None)
    assert "not proved" in verdict.remarks[0]


def test_a_maze_that_was_not_decided_is_not_saved_as_unsolvable(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maze_gym.edit.verdict.MAX_STATES", 10)
    editor.save()
    assert editor.message == "Saved new.json. It was too large to be proved, and the file says so."
    validation = codec.load(editor.path).validation
    assert validation is not None
    assert any("not proved" in reason for reason in validation.reasons)


def test_the_largest_bundled_level_is_small_enough_for_a_verdict() -> None:
    (largest,) = (maze for maze in suites.load("core") if maze.level_id.startswith("core-5-04-"))
    assert judge(largest).is_solvable


@pytest.mark.parametrize(
    ("tool", "at", "message"),
    [
        (Tool.WALL, (0, 2), "No: row 0, column 2 is on the outer ring, which is always solid."),
        (Tool.FLOOR, (4, 6), "outer ring"),
        (Tool.START, (2, 0), "outer ring"),
        (Tool.WALL, (1, 1), "is the start: put the start somewhere else first"),
        (Tool.WALL, (3, 5), "is the goal: put the goal somewhere else first"),
        (Tool.KEY, (3, 5), "is the goal"),
        (Tool.START, (3, 5), "is the start cell"),
        (Tool.GOAL, (1, 1), "is the start cell"),
        (Tool.FLIP, (2, 2), "holds no door, gate or switch"),
        (Tool.KIND, (2, 2), "holds no switch"),
        (Tool.LINK, (2, 2), "click a switch first"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    tool: Tool, at: tuple[int, int], message: str, editor: Editor
) -> None:
    before = editor.maze
    build(editor, tool, at)
    assert editor.message.startswith("No: ")
    assert message in editor.message
    assert editor.maze is before
    assert editor.is_saved


def test_a_start_on_a_wall_is_refused(editor: Editor) -> None:
    build(editor, Tool.WALL, (2, 2))
    build(editor, Tool.START, (2, 2))
    assert editor.message == "No: row 2, column 2 is a wall."


def test_what_stood_there_is_said_when_it_goes(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.SWITCH, (2, 2))
    build(editor, Tool.LINK, (2, 2), (2, 4))
    build(editor, Tool.KEY, (2, 4))
    assert editor.message == "Red key k1 at row 2, column 4, gate g1 is gone."
    assert editor.maze.switches == (Switch("s1", Position(2, 2)),)


def test_links_are_made_and_undone_by_the_same_clicks(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.SWITCH, (2, 2))
    for controls in (("g1",), ()):
        build(editor, Tool.LINK, (2, 2), (2, 4))
        assert editor.maze.switches[0].controls == controls
    editor.use(Position(2, 2))
    assert editor.selected == editor.maze.switches[0]
    editor.use(Position(1, 3))
    assert "holds no gate" in editor.message


def test_a_switch_in_hand_stays_in_hand_when_other_things_go(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.KEY, (3, 2))
    build(editor, Tool.SWITCH, (2, 2))
    build(editor, Tool.LINK, (2, 2))
    editor.use(Position(3, 2), erase=True)
    assert editor.selected is editor.maze.switches[0]
    editor.use(Position(2, 4))
    assert editor.message == "Switch s1 controls gate g1."
    assert editor.maze.switches[0].controls == ("g1",)


def test_a_switch_that_goes_is_in_hand_no_longer(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.SWITCH, (2, 2))
    build(editor, Tool.LINK, (2, 2))
    editor.use(Position(2, 2), erase=True)
    assert editor.selected is None
    editor.use(Position(2, 4))
    assert editor.message == "No: row 2, column 4 holds no switch; click a switch first, then its gate."


def test_a_switch_of_another_maze_is_not_linked(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    with pytest.raises(Refused, match="switch s1 is not in the maze as it is now"):
        changes.link(editor.maze, Switch("s1", Position(2, 2)), editor.maze.gates[0])


def test_states_at_the_start_and_kinds_of_switches(editor: Editor) -> None:
    build(editor, Tool.GATE, (2, 4))
    build(editor, Tool.SWITCH, (2, 2))
    build(editor, Tool.DOOR, (3, 2))
    build(editor, Tool.FLIP, (2, 4), (2, 2), (3, 2))
    maze = editor.maze
    assert (maze.gates[0].initially_open, maze.switches[0].initially_on, maze.doors[0].initially_open) == (
        True, True, True,
    )  # fmt: skip
    assert editor.message == "red door d1 is open at the start."
    build(editor, Tool.FLIP, (2, 4), (2, 2), (3, 2))
    assert editor.message == "red door d1 is locked at the start."
    kinds = []
    for _ in range(2):
        build(editor, Tool.KIND, (2, 2))
        kinds.append(editor.maze.switches[0].kind)
    assert kinds == ["one_shot", "toggle"]
    editor.change_key_rule()
    assert editor.maze.rules.key_consumption
    assert editor.message == "A door uses its key up."


def test_the_board_grows_and_shrinks_but_cuts_nothing_off(editor: Editor) -> None:
    editor.resize("rows", 1)
    editor.resize("cols", 2)
    assert text(editor.maze)[-2:] == ["#.......#", "#########"]
    editor.resize("cols", -1)
    editor.resize("cols", -1)
    editor.resize("cols", -1)
    assert editor.message == "No: the goal at row 3, column 5 would be cut off: move it first."
    assert (editor.maze.rows, editor.maze.cols) == (6, 7)
    with pytest.raises(Refused, match="at most 128"):
        changes.resize(empty_maze(128, 5), "rows", 1)


def test_undo_and_redo_walk_the_whole_history(editor: Editor) -> None:
    states = [editor.maze]
    for tool, at in ((Tool.WALL, (2, 2)), (Tool.KEY, (2, 3)), (Tool.GOAL, (1, 5))):
        build(editor, tool, at)
        states.append(editor.maze)
    for expected in reversed(states[:-1]):
        editor.undo()
        assert editor.maze == expected
    editor.undo()
    assert editor.message == "There is nothing to undo."
    for expected in states[1:]:
        editor.redo()
        assert editor.maze == expected
    editor.redo()
    assert editor.message == "There is nothing to redo."


@given(mazes(), st.data())
def test_any_click_on_any_maze_leaves_a_maze_and_says_something(maze: Maze, data: st.DataObject) -> None:
    editor = Editor(maze, "maze.json")
    for _ in range(4):
        editor.choose(data.draw(st.sampled_from(Tool)))
        editor.message = ""
        at = Position(data.draw(st.integers(0, maze.rows - 1)), data.draw(st.integers(0, maze.cols - 1)))
        before = editor.maze
        editor.use(at, erase=data.draw(st.booleans()))
        assert editor.message
        assert editor.message.startswith("No: ") <= (editor.maze is before)
        assert codec.loads(codec.dumps(editor.maze)) == editor.maze
        assert changes.describe(editor.maze, at)


@given(mazes(max_mechanisms=4))
def test_the_verdict_is_that_of_the_solver(maze: Maze) -> None:
    verdict = judge(maze)
    plan = solver.shortest_plan(compile_board(maze))
    assert verdict.is_solvable == (plan is not None)
    assert verdict.optimum == (None if plan is None else len(plan))
    assert (
        codec.loads(codec.dumps(replace(maze, validation=verdict.validation))).validation
        == verdict.validation
    )


def run(app: EditorApp, *events: pygame.event.Event) -> None:
    """Run the real loop of the window over these events, then close it twice."""
    pygame.display.init()
    pygame.event.clear()
    for event in (*events, pygame.event.Event(pygame.QUIT), pygame.event.Event(pygame.QUIT)):
        pygame.event.post(event)
    app.run()
    assert not pygame.display.get_init()


def test_keys_alone_build_a_level(editor: Editor) -> None:
    app = EditorApp(editor)
    run(
        app,
        key("w"),
        key("down"),
        key("right"),
        key("space"),
        key("k"),
        key("3"),
        key("right"),
        key("return"),
    )
    assert text(editor.maze)[2] == "#.#g..#"
    run(app := EditorApp(editor), key("s", ctrl=True))
    assert editor.path.is_file()
    assert not app.is_running


def test_the_mouse_paints_walls_and_erases_them(editor: Editor) -> None:
    app = EditorApp(editor)
    app.draw()
    row = [Position(2, col) for col in (2, 3, 4)]
    app.handle(mouse(app, row[0], pygame.MOUSEBUTTONDOWN))
    for at in row[1:]:
        app.handle(mouse(app, at, pygame.MOUSEMOTION))
    app.handle(mouse(app, row[2], pygame.MOUSEBUTTONUP))
    app.handle(mouse(app, Position(3, 3), pygame.MOUSEMOTION))
    assert text(editor.maze)[2:4] == ["#.###.#", "#....*#"]
    app.handle(mouse(app, row[1], pygame.MOUSEBUTTONDOWN, button=3))
    app.handle(mouse(app, row[2], pygame.MOUSEMOTION))
    app.handle(mouse(app, row[2], pygame.MOUSEBUTTONUP, button=3))
    assert text(editor.maze)[2] == "#.#...#"
    assert app.cursor == row[2]
    outside = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(1090, 700), button=1)
    assert not app.handle(outside)


def test_a_quick_hand_leaves_no_gaps(editor: Editor) -> None:
    app = EditorApp(editor)
    app.handle(mouse(app, Position(2, 2), pygame.MOUSEBUTTONDOWN))
    app.handle(mouse(app, Position(2, 5), pygame.MOUSEMOTION))
    assert text(editor.maze)[2] == "#.#####"


def test_dragging_does_not_sow_mechanisms(editor: Editor) -> None:
    app = EditorApp(editor)
    editor.choose(Tool.KEY)
    app.handle(mouse(app, Position(2, 2), pygame.MOUSEBUTTONDOWN))
    app.handle(mouse(app, Position(2, 3), pygame.MOUSEMOTION))
    assert len(editor.maze.keys) == 1


def test_leaving_with_unsaved_changes_asks_once(editor: Editor) -> None:
    app = EditorApp(editor)
    app.handle(key("down"))
    app.handle(key("space"))
    app.handle(pygame.event.Event(pygame.QUIT))
    assert app.is_running
    assert "not saved" in editor.message
    app.handle(key("up"))  # going on withdraws the question
    app.handle(key("q"))
    assert app.is_running
    app.handle(key("q"))
    assert not app.is_running


def test_the_keys_reach_every_tool_color_and_command(editor: Editor) -> None:
    app = EditorApp(editor)
    for tool, letter in TOOL_KEYS.items():
        assert app.handle(key(letter))
        assert editor.tool is tool
    assert set(TOOL_KEYS) == set(Tool)
    for number, color in enumerate(KEY_COLORS, 1):
        app.handle(key(str(number)))
        assert editor.color == color
    for name, (rows, cols) in {"down": (6, 7), "right": (6, 8), "up": (5, 8), "left": (5, 7)}.items():
        app.handle(key(name, ctrl=True))
        assert (editor.maze.rows, editor.maze.cols) == (rows, cols)
    app.handle(key("r"))
    assert editor.maze.start_facing is Facing.EAST
    app.handle(key("c"))
    app.handle(key("z", ctrl=True))
    assert not editor.maze.rules.key_consumption
    app.handle(key("y", ctrl=True))
    assert editor.maze.rules.key_consumption
    app.handle(key("u"))
    assert not app.handle(key("f7"))
    assert not app.handle(key("k", ctrl=True))


def test_the_level_can_be_played_in_place(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Any] = []
    monkeypatch.setattr(PlayApp, "run", lambda self: played.append(self.session.env.unwrapped.maze))
    app = EditorApp(editor)
    app.handle(key("p"))
    build(editor, Tool.WALL, (1, 3), (2, 3), (3, 3))  # no longer solvable
    app.handle(key("p"))
    assert [len(maze.walls) for maze in played] == [35, 35]
    assert editor.message == "Back from playing."


def limits_played(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The step limits of the levels that pressing P plays."""
    limits: list[int] = []
    monkeypatch.setattr(PlayApp, "run", lambda self: limits.append(self.session.steps_left))
    app = EditorApp(editor)
    app.handle(key("p"))
    assert app.is_running
    return limits


def test_a_level_that_the_search_of_the_env_gives_up_on_can_be_played(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver, "shortest_plan", partial(solver.shortest_plan, max_states=5))
    assert limits_played(editor, monkeypatch) == [4 * 8]


def test_a_level_is_played_by_its_own_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = Editor(replace(ALL_KINDS, max_steps=77), tmp_path / "own.json")
    assert limits_played(editor, monkeypatch) == [77]


def test_what_keeps_a_level_from_being_played_does_not_end_the_editor(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: PlayApp) -> None:
        msg = "there is no display"
        raise NoDisplay(msg)

    monkeypatch.setattr(PlayApp, "run", fail)
    app = EditorApp(editor)
    build(editor, Tool.WALL, (2, 2))
    app.handle(key("p"))
    assert editor.message == "No: there is no display."
    assert app.is_running
    assert not editor.is_saved


def test_the_window_comes_back_after_playing(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayApp, "run", lambda _: pygame.display.quit())
    waits = iter([key("p"), pygame.event.Event(pygame.QUIT)])
    monkeypatch.setattr(pygame.event, "wait", lambda _: next(waits))
    EditorApp(editor).run()
    assert editor.message == "Back from playing."


def test_the_verdict_appears_when_nobody_does_anything(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = EditorApp(editor)
    waits: list[int] = []

    def wait(timeout: int = 0) -> pygame.event.Event:
        waits.append(timeout)
        return pygame.event.Event(pygame.NOEVENT if len(waits) == 1 else pygame.QUIT)

    monkeypatch.setattr(pygame.event, "wait", wait)
    app.run()
    assert editor.verdict is not None
    assert editor.verdict.optimum == 8


@pytest.mark.parametrize("maze", [ALL_KINDS, parse("#####\n#>#*#\n#####"), parse("####\n#>*#\n####")])
def test_the_screen_can_be_drawn_whatever_the_verdict(maze: Maze, editor: Editor) -> None:
    editor.apply(lambda: changes.Change(maze, "x"))
    editor.message = "No: " + "a very long story " * 9
    for _ in range(2):
        page, _ = draw_screen(editor, Position(1, 1))
        assert page.surface.get_size() == (1100, 760)
        editor.judge()


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    editor = Editor(ALL_KINDS, tmp_path / "nowhere" / "maze.json")
    editor.save()
    assert editor.message.startswith("No: ")
    assert "could not be written: there is no such file or folder" in editor.message


def test_every_bundled_level_can_be_edited_and_saved(tmp_path: Path) -> None:
    for index, maze in enumerate(suites.load("starter")):
        codec.dump(maze, tmp_path / f"{index}.json")
        editor = open_editor(tmp_path / f"{index}.json")
        assert editor.judge().is_solvable
        editor.turn_start()
        editor.undo()
        editor.save()
        assert codec.load(editor.path).content_hash == maze.content_hash


def test_opening_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codec.dump(ALL_KINDS, tmp_path / "old.json")
    assert open_editor(tmp_path / "old.json").maze == ALL_KINDS
    monkeypatch.chdir(tmp_path)
    assert open_editor().path == Path("maze.json")
    (tmp_path / "maze.json").touch()
    assert open_editor().path == Path("maze-2.json")
    with pytest.raises(InvalidArgument, match="no folder"):
        open_editor(tmp_path / "nowhere" / "x.json")
    with pytest.raises(MazeFormatError):
        open_editor(tmp_path / "maze.json")
    with pytest.raises(MazeFormatError):
        open_editor(tmp_path / "tiny.json", rows=1, cols=1)


def test_the_command_edits_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Editor] = []
    monkeypatch.setattr(EditorApp, "run", lambda self: seen.append(self.editor))
    result = CliRunner().invoke(cli_app, ["edit", str(tmp_path / "new.json"), "--rows", "6", "--cols", "10"])
    assert result.exit_code == 0, result.output
    assert (seen[0].maze.rows, seen[0].maze.cols, seen[0].maze.level_id) == (6, 10, "new")
