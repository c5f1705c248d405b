"""The one picture of a maze: every state shows, colour is never the only cue, nothing is given away."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, PALETTE, Door, Facing, Gate, Key, Maze, Position, Switch
from mazegen.core.rules import Action, State, step
from mazegen.rendering.canvas import Scene, Text, moved, paint
from mazegen.rendering.drawing import Drawing, Style, draw, exits, gate_labels, switch_label
from mazegen.rendering.frames import tile
from mazegen.rendering.picture import parse
from mazegen.rendering.tiles import INK, PAINT, PAPER, Look, Thing, figure, ground, ink_on, luminance
from mazegen.search import solver

from ...strategies import Play, plays

MAZE = parse(
    """
    #########
    #S..#...#
    #r..R.=*#
    #...#0..#
    #########
    """
)
CELL_PX = 24


def gray(
    picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Lightness alone: what is left for somebody who sees no colour at all."""
    return np.asarray(picture @ np.array([0.299, 0.587, 0.114]), np.float64)


def differs_without_color(one: Look, other: Look, cell_px: int = CELL_PX) -> bool:
    """Whether shapes differ clearly: some pixels by a lot, after lightness was evened out."""
    first, second = gray(tile(one, cell_px)), gray(tile(other, cell_px))
    return bool((np.abs(first - second) > 60).sum() >= cell_px * cell_px * 0.02)


def after(maze: Maze, *actions: Action) -> tuple[Drawing, State]:
    drawing = Drawing(maze)
    state = drawing.board.start
    for action in actions:
        state = step(drawing.board, state, action).state
    return drawing, state


def cell(maze: Maze, row: int, col: int) -> int:
    return maze.cell(Position(row, col))


@pytest.mark.parametrize("thing", [Thing.DOOR, Thing.SWITCH, Thing.BUTTON, Thing.GATE])
@pytest.mark.parametrize("cell_px", [10, 24, 64])
@pytest.mark.parametrize("color", ["", *PALETTE])
def test_on_and_off_open_and_shut_differ_in_shape(thing: Thing, cell_px: int, color: str) -> None:
    if thing is Thing.DOOR:
        color = color if color in KEY_COLORS else "red"
    one = Look(thing, color, "1")
    assert differs_without_color(one, one._replace(active=True), cell_px)


@pytest.mark.parametrize("look", [Look(Thing.KEY), Look(Thing.DOOR), Look(Thing.DOOR, active=True)])
def test_keys_and_doors_carry_the_letter_of_their_color(look: Look) -> None:
    for color in KEY_COLORS:
        written = [shape.text for shape in figure(look._replace(color=color)) if isinstance(shape, Text)]
        assert written == [color[0].upper()]
    assert len({color[0] for color in KEY_COLORS}) == len(KEY_COLORS)


def test_every_kind_of_thing_has_a_shape_of_its_own() -> None:
    looks = [
        Look(Thing.FLOOR),
        Look(Thing.WALL),
        Look(Thing.GOAL),
        Look(Thing.FLOOR, start=True),
        Look(Thing.KEY, "red"),
        Look(Thing.DOOR, "red"),
        Look(Thing.SWITCH, label="1"),
        Look(Thing.BUTTON, label="1"),
        Look(Thing.GATE, label="1"),
        *(Look(Thing.FLOOR, facing=int(facing)) for facing in Facing),
    ]
    for one, other in combinations(looks, 2):
        assert differs_without_color(one, other), (one, other)


@pytest.mark.parametrize("color", PALETTE)
def test_letters_stand_out_from_what_they_are_written_on(color: str) -> None:
    fill = PAINT[color]
    light, dark = sorted((luminance(fill), luminance(ink_on(fill))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2, level AA
    assert ink_on(fill) in (INK, PAPER)


@given(plays())
def test_the_picture_shows_what_the_rules_say(play: Play) -> None:
    maze, board, state = play
    drawing = Drawing(maze, board)
    for index, key in enumerate(maze.keys):
        look = drawing.look(state, maze.cell(key.position))
        assert (look.thing is Thing.KEY) == (not state.taken >> index & 1)
    for index, door in enumerate(maze.doors):
        look = drawing.look(state, maze.cell(door.position))
        assert (look.color, look.active) == (door.color, bool(state.opened >> index & 1))
    for index, switch in enumerate(maze.switches):
        look = drawing.look(state, maze.cell(switch.position))
        assert look.active == bool(state.on >> index & 1)
        assert (look.thing is Thing.BUTTON) == (switch.kind == "one_shot")
    for index, gate in enumerate(maze.gates):
        look = drawing.look(state, maze.cell(gate.position))
        assert look.active == rules.is_gate_open(board, state, index)
    agents = [look.facing for line in drawing.looks(state) for look in line if look.facing >= 0]
    assert agents == [state.facing]
    held = {look.color: int(look.label or 1) for look in drawing.strip(state) if look.thing is Thing.KEY}
    counts = dict(zip(KEY_COLORS, rules.keys_held(board, state), strict=True))
    assert held == {color: count for color, count in counts.items() if count}


ALL_LOOKS = [
    Look(thing, color, label, active, start, facing)
    for thing, color, label in (
        (Thing.FLOOR, "", ""),
        (Thing.WALL, "", ""),
        (Thing.GOAL, "", ""),
        (Thing.KEY, "red", ""),
        (Thing.DOOR, "red", ""),
        (Thing.SWITCH, "", "1 2 3+"),
        (Thing.BUTTON, "", "20"),
        (Thing.GATE, "", "20"),
        (Thing.STRIP, "", "KEYS"),
        (Thing.MARK, "", "127"),
    )
    for active in (False, True)
    for start in (False, True)
    for facing in (-1, 0, 1, 2, 3)
]


@pytest.mark.parametrize("cell_px", [9, 40])
def test_every_tile_stays_in_its_cell_and_fills_it(cell_px: int) -> None:
    for look in ALL_LOOKS:
        shapes = tuple(moved(shape, 1, 1) for shape in (*ground(look), *figure(look)))
        picture = paint(Scene(3, 3, "#00ff00", shapes), cell_px)
        inside = picture[cell_px : 2 * cell_px, cell_px : 2 * cell_px]
        blank = (picture == (0, 255, 0)).all(axis=2)
        assert blank.sum() == 8 * cell_px**2, look
        assert not (inside == (0, 255, 0)).all(axis=2).any(), look


def test_a_key_that_is_picked_up_moves_from_the_board_to_the_inventory() -> None:
    walk = (Action.TURN_RIGHT, Action.TURN_RIGHT, Action.MOVE_FORWARD)
    drawing, before = after(MAZE, *walk)
    _, state = after(MAZE, *walk, Action.PICKUP)
    place = cell(MAZE, 2, 1)
    assert drawing.look(before, place).thing is Thing.KEY
    assert drawing.look(state, place) == Look(Thing.FLOOR, facing=int(Facing.SOUTH))
    assert [look.thing for look in drawing.strip(before)].count(Thing.KEY) == 0
    assert drawing.strip(state)[1] == Look(Thing.KEY, "red", active=True)


def test_several_keys_of_a_color_are_counted_and_a_used_one_goes() -> None:
    maze = parse("########\n#>rrR.*#\n########", key_consumption=True)
    drawing = Drawing(maze)
    start = drawing.board.start
    assert drawing.strip(start._replace(taken=0b11))[1].label == "2"
    assert drawing.strip(start._replace(taken=0b11, opened=0b1))[1].label == ""
    assert all(look.thing is Thing.STRIP for look in drawing.strip(start._replace(taken=0b1, opened=0b1)))


def test_what_the_agent_stands_on_can_still_be_seen() -> None:
    for thing, color in ((Thing.KEY, "red"), (Thing.GOAL, ""), (Thing.SWITCH, ""), (Thing.DOOR, "blue")):
        bare = Look(Thing.FLOOR, facing=1)
        assert differs_without_color(bare, bare._replace(thing=thing, color=color, label="1"), 40)


def test_the_path_is_in_a_picture_only_when_asked_for() -> None:
    drawing = Drawing(MAZE)
    start = drawing.board.start
    path = solver.solve(MAZE).path
    plain, marked = drawing.scene(start), drawing.scene(start, path=path, trail=path[:3])
    assert plain == draw(MAZE)
    assert len(marked.shapes) > len(plain.shapes)
    assert all(look.path == look.trail == 0 for line in drawing.looks(start) for look in line)


def test_a_walk_leaves_each_cell_by_the_sides_it_was_walked_over() -> None:
    walk = [Position(1, 1), Position(1, 2), Position(2, 2), Position(2, 2), Position(1, 2)]
    north, east, south, west = (1 << facing for facing in Facing)
    assert exits(walk) == {walk[0]: east, walk[1]: west | south, walk[2]: north}


def test_numbers_tie_switches_to_gates() -> None:
    maze = parse("#########\n#>0=1:..#\n#....=.*#\n#########", controls={"s1": ["g3", "g1"], "s2": []})
    drawing = Drawing(maze)
    shown = [drawing.look(drawing.board.start, cell(maze, 1, col)).label for col in (2, 3, 4, 5)]
    assert shown == ["1 3", "1", "-", "2"]
    assert switch_label(["1", "2", "3", "4"]) == "1 2 3+"


def test_gates_whose_ids_hold_no_number_are_numbered_by_place() -> None:
    gates = (Gate("north", Position(1, 2)), Gate("g7", Position(1, 3)))
    assert gate_labels(replace(MAZE, gates=gates, switches=())) == {"north": "1", "g7": "2"}
    numbered = (Gate("g4", Position(1, 2)), Gate("g7", Position(1, 3)))
    assert gate_labels(replace(MAZE, gates=numbered, switches=())) == {"g4": "4", "g7": "7"}


def test_orientation_numbers_rows_and_columns() -> None:
    drawing = Drawing(MAZE, style=Style(orientation=True))
    grid = drawing.looks(drawing.board.start)
    assert [look.label for look in grid[0]] == ["", *map(str, range(MAZE.cols))]
    assert [line[0].label for line in grid[: MAZE.rows + 1]] == ["", *map(str, range(MAZE.rows))]
    assert grid[1 + 1][1 + 1].facing == Facing.NORTH  # the agent at row 1, column 1 stands beside "1"


def test_a_narrow_board_gets_as_many_rows_of_inventory_as_it_needs() -> None:
    rows, cols = 9, 3
    keys = tuple(Key(f"k{row}", Position(row, 1), color) for row, color in enumerate(KEY_COLORS, 2))
    walls = bytes(col != 1 or row in (0, rows - 1) for row in range(rows) for col in range(cols))
    drawing = Drawing(Maze(rows, cols, walls, Position(1, 1), Position(8 - 1, 1), keys=keys[:-1]))
    state = drawing.board.start._replace(taken=0b11111)
    assert drawing.rows == rows + 2
    assert [look.color for look in drawing.strip(state)] == ["", *KEY_COLORS[:5]]


def test_without_an_inventory_the_picture_is_the_board_alone() -> None:
    scene = draw(MAZE, style=Style(inventory=False))
    assert (scene.height, scene.width) == (MAZE.rows, MAZE.cols)


def test_the_way_so_far_is_a_broad_band_under_everything() -> None:
    drawing = Drawing(MAZE)
    start = drawing.board.start
    scene = drawing.scene(start, trail=[Position(1, 1), Position(2, 1), Position(3, 1)])
    plain, marked = paint(drawing.scene(start), 20), paint(scene, 20)
    changed = (plain != marked).any(axis=2)
    rows, cols = np.nonzero(changed)
    assert {int(col) // 20 for col in cols} == {1}
    assert {int(row) // 20 for row in rows} == {1, 2, 3}
    assert not changed[20:40, 20:40].all()


def test_mechanisms_may_be_painted_in_any_color_of_the_palette() -> None:
    for color in PALETTE:
        switch = Switch("s1", Position(3, 5), ("g1",), color=color, initially_on=color == "red")
        maze = replace(MAZE, switches=(switch,), gates=(Gate("g1", Position(2, 6), color=color),))
        drawing = Drawing(maze)
        assert drawing.look(drawing.board.start, cell(maze, 3, 5)).color == color
        assert paint(drawing.scene(drawing.board.start), 8).shape == (48, 72, 3)


def test_an_open_door_names_its_color() -> None:
    maze = replace(MAZE, doors=(Door("d1", Position(2, 4), "red", initially_open=True),))
    look = Drawing(maze).look(rules.compile_board(maze).start, cell(maze, 2, 4))
    assert (look.color, look.active) == ("red", True)
    assert "R" in {getattr(shape, "text", "") for shape in figure(look)}
