"""The eight symmetries and renamed colours: same puzzle, new look."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mazegen.core import rules, symmetry
from mazegen.core.maze import KEY_COLORS, Facing, Maze, Position, Validation
from mazegen.core.rules import Action, Event, compile_board
from mazegen.core.symmetry import (
    IDENTITY,
    SYMMETRIES,
    layout_hash,
    mirror,
    recolour,
    rotate,
    symmetry_hash,
    transform,
    transpose,
)
from mazegen.errors import MazeFormatError
from mazegen.rendering.picture import draw, parse
from mazegen.search import solver

from ...strategies import actions_of, choices, documented_mazes, mazes

symmetries = st.sampled_from(SYMMETRIES)

CORNER = "######\n#>r..#\n#..*##\n######"


def picture_of(maze: Maze) -> str:
    board = compile_board(maze)
    return draw(maze, board, board.start)


def with_proof(maze: Maze) -> Maze:
    """A solvable maze with its proof."""
    solution = solver.solve(maze)
    proof = Validation(
        is_valid=True,
        optimal_cost=solution.cell_moves,
        optimal_path=solution.path,
        interactions=solution.interactions,
        optimal_actions=tuple(action.name for action in solution.actions),
    )
    return replace(maze, validation=proof)


def is_solvable(maze: Maze) -> bool:
    return solver.shortest_plan(compile_board(maze)) is not None


# --- what each looks like --------------------------------------------------------------------------


def test_a_quarter_turn_is_clockwise() -> None:
    assert picture_of(rotate(parse(CORNER))) == "####\n#.v#\n#.r#\n#*.#\n##.#\n####"


def test_a_quarter_turn_backwards_is_counterclockwise() -> None:
    assert picture_of(rotate(parse(CORNER), -1)) == "####\n#.##\n#.*#\n#r.#\n#^.#\n####"


def test_a_half_turn_stands_on_its_head() -> None:
    assert picture_of(rotate(parse(CORNER), 2)) == "######\n##*..#\n#..r<#\n######"


def test_a_mirror_exchanges_left_and_right() -> None:
    assert picture_of(mirror(parse(CORNER))) == "######\n#..r<#\n##*..#\n######"


def test_transposing_exchanges_rows_and_columns() -> None:
    assert picture_of(transpose(parse(CORNER))) == "####\n#v.#\n#r.#\n#.*#\n#.##\n####"


# --- laws ------------------------------------------------------------------------------------------


@given(maze=documented_mazes())
def test_transposing_twice_changes_nothing(maze: Maze) -> None:
    assert transpose(transpose(maze)) == maze


@given(maze=documented_mazes())
def test_mirroring_twice_changes_nothing(maze: Maze) -> None:
    assert mirror(mirror(maze)) == maze


@given(maze=documented_mazes(), turns=st.integers(-8, 8), more=st.integers(-8, 8))
def test_turns_add_up_modulo_four(maze: Maze, turns: int, more: int) -> None:
    assert rotate(rotate(maze, turns), more) == rotate(maze, (turns + more) % 4)


@given(maze=documented_mazes())
def test_a_turn_and_a_mirror_make_a_transposition(maze: Maze) -> None:
    assert mirror(rotate(maze)) == transpose(maze)


@given(maze=documented_mazes(), symmetry=symmetries)
def test_every_symmetry_has_an_inverse_among_the_eight(maze: Maze, symmetry: symmetry.Symmetry) -> None:
    assert maze in [transform(transform(maze, symmetry), back) for back in SYMMETRIES]


@given(maze=documented_mazes())
def test_the_identity_changes_nothing(maze: Maze) -> None:
    assert transform(maze, IDENTITY) == maze


def test_the_eight_are_eight() -> None:
    assert len({transform(parse(CORNER), symmetry) for symmetry in SYMMETRIES}) == 8


@given(maze=documented_mazes(), symmetry=symmetries)
def test_what_is_said_about_a_maze_stays(maze: Maze, symmetry: symmetry.Symmetry) -> None:
    moved = transform(maze, symmetry)
    for name in ("level_id", "seed", "description", "max_steps", "difficulty_tier", "metadata_json", "rules"):
        assert getattr(moved, name) == getattr(maze, name)


def image_of(action: Action, symmetry: symmetry.Symmetry) -> Action:
    if symmetry.is_reflection and action in (Action.TURN_LEFT, Action.TURN_RIGHT):
        return Action.TURN_RIGHT if action == Action.TURN_LEFT else Action.TURN_LEFT
    return action


@given(maze=mazes(), symmetry=symmetries, chosen=choices())
def test_play_in_the_image_is_the_image_of_play(
    maze: Maze, symmetry: symmetry.Symmetry, chosen: bytes
) -> None:
    image = transform(maze, symmetry)
    board, board2 = compile_board(maze), compile_board(image)
    state, state2 = board.start, board2.start
    for action in actions_of(board, chosen):
        (state, event, blocker), (state2, event2, blocker2) = (
            rules.step(board, state, action),
            rules.step(board2, state2, image_of(action, symmetry)),
        )
        # Mechanisms keep their places in the lists, so masks and codes are the same numbers.
        assert (event, blocker, state[2:]) == (event2, blocker2, state2[2:])


@given(maze=mazes(max_rows=6, max_cols=6), symmetry=symmetries)
def test_the_optimum_stays(maze: Maze, symmetry: symmetry.Symmetry) -> None:
    assume(is_solvable(maze))
    here, there = solver.solve(maze), solver.solve(transform(maze, symmetry))
    assert (len(here.actions), here.cell_moves, here.states, here.dead_states) == (
        len(there.actions), there.cell_moves, there.states, there.dead_states,
    )  # fmt: skip


@given(maze=mazes(max_rows=6, max_cols=6), symmetry=symmetries)
def test_the_proof_replays_in_the_image(maze: Maze, symmetry: symmetry.Symmetry) -> None:
    assume(is_solvable(maze))
    image = transform(with_proof(maze), symmetry)
    proof = image.validation
    assert proof is not None
    board = compile_board(image)
    state, event = board.start, -1
    for name in proof.optimal_actions:
        state, event, _ = rules.step(board, state, Action[name])
    assert event == Event.DONE
    path = proof.optimal_path
    assert (path[0], path[-1]) == (image.start, image.goal)
    assert not any(image.is_wall(position) for position in path)


# --- hash ------------------------------------------------------------------------------------------


@given(maze=mazes(), symmetry=symmetries)
def test_the_symmetric_hash_is_shared_by_all_eight(maze: Maze, symmetry: symmetry.Symmetry) -> None:
    assert symmetry_hash(transform(maze, symmetry)) == symmetry_hash(maze)


@given(maze=mazes(max_rows=5, max_cols=5), other=mazes(max_rows=5, max_cols=5))
def test_the_symmetric_hash_is_shared_by_no_other(maze: Maze, other: Maze) -> None:
    images = {transform(maze, symmetry).content_hash for symmetry in SYMMETRIES}
    assert (symmetry_hash(maze) == symmetry_hash(other)) == (other.content_hash in images)


@pytest.mark.parametrize(
    "change",
    [
        {"start": Position(2, 2)},
        {"start_facing": Facing.WEST},
        {"keys": ()},
    ],
    ids=["start", "facing", "keys"],
)
def test_the_symmetric_hash_tells_mazes_with_the_same_walls_apart(change: dict[str, object]) -> None:
    maze = parse("#####\n#>..#\n#.r.#\n#..*#\n#####")
    changed = replace(maze, **({"keys": ()} | change))  # type: ignore[arg-type]  # fields by name
    kept = replace(maze, keys=()) if "keys" not in change else maze
    assert symmetry_hash(changed) != symmetry_hash(kept)


def test_the_symmetric_hash_is_the_content_hash_of_one_of_the_eight() -> None:
    maze = parse(CORNER)
    assert symmetry_hash(maze) in {transform(maze, symmetry).content_hash for symmetry in SYMMETRIES}


@given(
    maze=mazes(),
    symmetry=symmetries,
    facing=st.sampled_from(Facing),
    colors=st.permutations(KEY_COLORS),
)
def test_the_layout_hash_is_that_of_the_puzzle(
    maze: Maze, symmetry: symmetry.Symmetry, facing: Facing, colors: list[str]
) -> None:
    new = dict(zip(KEY_COLORS, colors, strict=True))
    disguised = replace(recolour(transform(maze, symmetry), new), start_facing=facing)
    assert layout_hash(disguised) == layout_hash(maze)


@pytest.mark.parametrize(
    "other",
    [
        "#######\n#.>rbR#\n#...B*#\n#######",
        "#######\n#>rbR.#\n#..B.*#\n#######",
        "#######\n#>rbB.#\n#...R*#\n#######",
        "#######\n#>rrR.#\n#...R*#\n#######",
        "#######\n#>rbR.#\n#..*B.#\n#######",
    ],
    ids=["start", "door", "which key opens which", "one colour for two", "goal"],
)
def test_the_layout_hash_tells_other_puzzles_apart(other: str) -> None:
    assert layout_hash(parse(other)) != layout_hash(parse("#######\n#>rbR.#\n#...B*#\n#######"))


# --- colours ---------------------------------------------------------------------------------------


@given(maze=mazes(max_rows=6, max_cols=6), colors=st.permutations(KEY_COLORS))
def test_renaming_colours_keeps_the_puzzle(maze: Maze, colors: list[str]) -> None:
    assume(is_solvable(maze))
    new = dict(zip(KEY_COLORS, colors, strict=True))
    here, there = solver.solve(maze), solver.solve(recolour(maze, new))
    assert here == there


@given(maze=mazes(), colors=st.permutations(KEY_COLORS))
def test_renaming_colours_back_restores_the_maze(maze: Maze, colors: list[str]) -> None:
    new = dict(zip(KEY_COLORS, colors, strict=True))
    assert recolour(recolour(maze, new), {after: before for before, after in new.items()}) == maze


def test_only_the_named_colours_change() -> None:
    maze = recolour(parse("######\n#>rbR#\n#...*#\n######"), {"red": "green"})
    keys, doors = [key.color for key in maze.keys], [door.color for door in maze.doors]
    assert (keys, doors) == (["green", "blue"], ["green"])


def test_two_colours_must_not_become_one() -> None:
    with pytest.raises(ValueError, match="blue -> blue, red -> blue"):
        recolour(parse("######\n#>rbR#\n#...*#\n######"), {"red": "blue"})


def test_a_colour_that_the_maze_lacks_may_be_named() -> None:
    maze = parse("######\n#>r.R#\n#...*#\n######")
    assert recolour(maze, {"blue": "red"}) == maze


def test_a_colour_that_keys_do_not_come_in_is_refused() -> None:
    with pytest.raises(MazeFormatError, match="unknown colour 'white'"):
        recolour(parse("######\n#>r.R#\n#...*#\n######"), {"red": "white"})
