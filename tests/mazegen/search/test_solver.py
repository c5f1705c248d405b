"""Exact search, against a brute force that shares nothing with it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.maze import Facing, Maze
from mazegen.core.rules import Action, Event, State, compile_board
from mazegen.errors import SearchLimitExceeded, UnreachableState, UnsolvableMaze
from mazegen.rendering.picture import parse
from mazegen.search import solver
from mazegen.search.solver import DistanceField, shortest_plan, solve, trace

from ...strategies import choices, history, mazes
from ..reference import Reference, World, distances, fewest_moves

UNSOLVABLE = "#####\n#>R*#\n#####"
# Keys are used up: opening the upper door wastes the only key.
WASTEFUL = """
    #######
    #.R...#
    #.#####
    #>r.R*#
    #######
"""

finishes = st.sampled_from(("arrival", "done_action"))
small_mazes = mazes(max_rows=6, max_cols=7, max_mechanisms=5)


def state_of(maze: Maze, world: World) -> State:
    """A world of the reference as a state."""
    return State(
        cell=world.at[0] * maze.cols + world.at[1],
        facing=Facing[world.facing],
        taken=sum(1 << i for i, key in enumerate(maze.keys) if key.id in world.taken),
        opened=sum(1 << i for i, door in enumerate(maze.doors) if door.id in world.opened),
        on=sum(1 << i for i, switch in enumerate(maze.switches) if switch.id in world.on),
    )


class Truth(NamedTuple):
    """What the brute force says."""

    states: int
    remaining: dict[State, int | None]  # of every reachable state
    moves: tuple[int, int] | None  # fewest cell moves, fewest actions among such walks


def brute_force(maze: Maze, finish: str = "arrival") -> Truth:
    reference = Reference(maze, finish)
    graph = reference.explore()
    remaining = distances(graph)
    states = {state_of(maze, world): remaining.get(world) for world in graph}
    return Truth(len(graph), states, fewest_moves(graph, reference.start))


# --- against the brute force -----------------------------------------------------------------------


@given(maze=small_mazes, finish=finishes)
def test_the_distance_from_every_reachable_state_is_exact(maze: Maze, finish: rules.Finish) -> None:
    field = DistanceField(compile_board(maze, finish))
    truth = brute_force(maze, finish)
    assert {state: field.distance(state) for state in truth.remaining} == truth.remaining


@given(maze=small_mazes, finish=finishes)
def test_exactly_the_reachable_states_are_counted(maze: Maze, finish: rules.Finish) -> None:
    assert DistanceField(compile_board(maze, finish)).states == brute_force(maze, finish).states


@given(maze=small_mazes, finish=finishes)
def test_exactly_the_dead_states_are_counted(maze: Maze, finish: rules.Finish) -> None:
    remaining = brute_force(maze, finish).remaining
    field = DistanceField(compile_board(maze, finish))
    assert field.dead_states == sum(distance is None for distance in remaining.values())
    assert {state for state in remaining if field.is_dead(state)} == {
        state for state, distance in remaining.items() if distance is None
    }


@given(maze=small_mazes, finish=finishes)
def test_a_shortest_plan_is_as_short_as_any(maze: Maze, finish: rules.Finish) -> None:
    board = compile_board(maze, finish)
    plan = shortest_plan(board)
    assert (None if plan is None else len(plan)) == brute_force(maze, finish).remaining[board.start]


@given(maze=small_mazes, finish=finishes)
def test_a_solution_is_exact_in_all_its_numbers(maze: Maze, finish: rules.Finish) -> None:
    truth = brute_force(maze, finish)
    board = compile_board(maze, finish)
    if truth.moves is None:
        with pytest.raises(UnsolvableMaze):
            solve(maze, finish=finish)
        return
    solution = solve(maze, finish=finish)
    dead = sum(distance is None for distance in truth.remaining.values())
    expected = (truth.remaining[board.start], truth.moves[0], truth.states, dead)
    found = (len(solution.actions), solution.cell_moves, solution.states, solution.dead_states)
    assert found == expected


@given(maze=small_mazes, finish=finishes)
def test_the_walk_with_the_fewest_moves_takes_the_fewest_actions_among_such_walks(
    maze: Maze, finish: rules.Finish
) -> None:
    from mazegen.search import kernels

    field = DistanceField(compile_board(maze, finish))
    moves, last, last_action, origins = kernels.fewest_moves(field.graph)
    truth = brute_force(maze, finish).moves
    if truth is None:
        assert int(moves) == kernels.UNKNOWN
    else:
        walk = solver._actions_to(int(last), int(last_action), origins)
        assert (int(moves), len(walk)) == truth


@given(maze=small_mazes, finish=finishes, chosen=choices())
def test_a_field_from_any_start_agrees_with_the_field_from_the_beginning(
    maze: Maze, finish: rules.Finish, chosen: bytes
) -> None:
    board = compile_board(maze, finish)
    *_, state = history(board, chosen)
    assert DistanceField(board, state).distance(state) == DistanceField(board).distance(state)


# --- laws ------------------------------------------------------------------------------------------


@given(maze=mazes(), finish=finishes, chosen=choices())
def test_a_plan_replays_to_success_and_not_before(maze: Maze, finish: rules.Finish, chosen: bytes) -> None:
    board = compile_board(maze, finish)
    field = DistanceField(board)
    *_, state = history(board, chosen)
    if field.is_dead(state):
        return
    events = []
    for action in field.plan(state):
        state, event, _ = rules.step(board, state, action)
        events.append(event)
    assert events.index(Event.DONE) == len(events) - 1


@given(maze=mazes(), finish=finishes, chosen=choices())
def test_exactly_the_best_actions_lessen_the_distance(
    maze: Maze, finish: rules.Finish, chosen: bytes
) -> None:
    board = compile_board(maze, finish)
    field = DistanceField(board)
    *_, state = history(board, chosen)
    remaining = field.distance(state)
    lessening = []
    for action in Action:
        after, event, _ = rules.step(board, state, action)
        left = 0 if event == Event.DONE else field.distance(after)
        if remaining is not None and left == remaining - 1:
            lessening.append(action)
    assert field.best_actions(state) == tuple(lessening)


@given(maze=mazes(), finish=finishes)
def test_the_plan_begins_with_a_best_action_and_has_the_length_of_the_distance(
    maze: Maze, finish: rules.Finish
) -> None:
    board = compile_board(maze, finish)
    field = DistanceField(board)
    if field.is_dead(board.start):
        with pytest.raises(UnsolvableMaze):
            field.plan()
    else:
        assert len(field.plan()) == field.distance(board.start)
        assert field.plan()[0] == field.best_actions(board.start)[0]


@given(maze=mazes(), finish=finishes)
def test_the_path_of_a_solution_walks_from_start_to_goal_in_single_steps(
    maze: Maze, finish: rules.Finish
) -> None:
    if shortest_plan(compile_board(maze, finish)) is None:
        return
    solution = solve(maze, finish=finish)
    path = solution.path
    assert (path[0], path[-1], len(path)) == (maze.start, maze.goal, solution.cell_moves + 1)
    steps = [abs(a.row - b.row) + abs(a.col - b.col) for a, b in pairwise(path)]
    assert set(steps) == {1}


@given(maze=mazes(), finish=finishes)
def test_the_same_question_gets_the_same_answer(maze: Maze, finish: rules.Finish) -> None:
    if shortest_plan(compile_board(maze, finish)) is not None:
        assert solve(maze, finish=finish) == solve(maze, finish=finish)


# --- examples --------------------------------------------------------------------------------------


def test_a_solution_tells_what_the_walk_does_to_the_mechanisms() -> None:
    solution = solve(parse("########\n#>rR0=*#\n########"))
    assert solution.interactions == ("pickup:k1", "open:d1", "toggle:s1", "cross:g1")


def test_trace_stops_at_success() -> None:
    maze = parse("#####\n#>.*#\n#####")
    path, _ = trace(maze, compile_board(maze), [Action.MOVE_FORWARD] * 3)
    assert path[-1] == maze.goal
    assert len(path) == 3


def test_trace_of_an_unfinished_plan_ends_where_it_ends() -> None:
    maze = parse("#####\n#>.*#\n#####")
    assert trace(maze, compile_board(maze), [Action.MOVE_FORWARD]) == (((1, 1), (1, 2)), ())


def test_a_wasted_key_is_a_dead_end_that_the_field_knows() -> None:
    board = compile_board(parse(WASTEFUL, key_consumption=True))
    field = DistanceField(board)
    state = board.start
    wasting = "MOVE_FORWARD PICKUP TURN_LEFT TURN_LEFT MOVE_FORWARD TURN_RIGHT MOVE_FORWARD MOVE_FORWARD"
    for action in [*wasting.split(), "TURN_RIGHT"]:
        assert not field.is_dead(state)
        state = rules.step(board, state, Action[action]).state
    assert not field.is_dead(state)
    state = rules.step(board, state, Action.MOVE_FORWARD).state
    assert field.is_dead(state)
    assert (field.distance(state), field.best_actions(state)) == (None, ())
    with pytest.raises(UnsolvableMaze, match="from this state"):
        field.plan(state)


def test_kept_keys_leave_no_dead_end() -> None:
    assert DistanceField(compile_board(parse(WASTEFUL))).dead_states == 0


def test_an_unsolvable_maze_is_named_and_explained() -> None:
    with pytest.raises(UnsolvableMaze, match=r"trap: no sequence of actions leads to the goal \(4 states"):
        solve(parse(UNSOLVABLE, level_id="trap"))


def test_an_unsolvable_maze_has_no_shortest_plan() -> None:
    assert shortest_plan(compile_board(parse(UNSOLVABLE))) is None


def test_every_state_of_an_unsolvable_maze_is_dead() -> None:
    field = DistanceField(compile_board(parse(UNSOLVABLE)))
    assert field.dead_states == field.states == 4


def test_a_search_within_its_limit_is_exact_and_one_state_less_is_an_error() -> None:
    maze = parse("######\n#>r0.#\n#..R*#\n######")
    states = solve(maze).states
    assert solve(maze, max_states=states).states == states
    with pytest.raises(SearchLimitExceeded, match=f"more than {states - 1} states"):
        solve(maze, max_states=states - 1)


def test_a_single_plan_respects_the_limit_too() -> None:
    board = compile_board(parse("######\n#>...#\n#...*#\n######"))
    with pytest.raises(SearchLimitExceeded):
        shortest_plan(board, max_states=3)


def test_a_single_plan_from_another_state_starts_there() -> None:
    board = compile_board(parse("######\n#>..*#\n######"))
    state = rules.step(board, board.start, Action.MOVE_FORWARD).state
    assert shortest_plan(board, state) == (Action.MOVE_FORWARD, Action.MOVE_FORWARD)


FOREIGN = {
    "a wall": {"cell": 0},
    "the goal, where the episode is over": {"cell": 10},
    "before the board": {"cell": -1},
    "past the board": {"cell": 18},
    "far past the board": {"cell": 10**12},
    "a facing that is none": {"facing": 4},
    "a negative facing": {"facing": -1},
    "a key that is not there": {"taken": 0b10},
    "a door that is not there": {"opened": 0b10},
    "a door without its key": {"opened": 0b1},
    "a switch that is not there": {"on": 0b10},
    "a negative mask": {"taken": -1},
    "a mask that fits no word": {"on": 1 << 70},
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_state_that_cannot_occur_is_refused(change: dict[str, int]) -> None:
    board = compile_board(parse("######\n#>r0*#\n#..R.#\n######"))
    field = DistanceField(board)
    assert field.distance(board.start) == 3
    foreign = board.start._replace(**change)
    for question in (field.distance, field.is_dead, field.best_actions, field.plan):
        with pytest.raises(UnreachableState):
            question(foreign)


@pytest.mark.parametrize("change", [{"cell": 0}, {"cell": -7}, {"cell": 10**6}, {"facing": 4}, {"on": 2}])
def test_a_search_from_what_is_no_state_of_the_board_is_refused(change: dict[str, int]) -> None:
    board = compile_board(parse("######\n#>r0*#\n#..R.#\n######"))
    with pytest.raises(UnreachableState, match="is not a state of this board"):
        DistanceField(board, board.start._replace(**change))
    with pytest.raises(UnreachableState, match="is not a state of this board"):
        shortest_plan(board, board.start._replace(**change))


def test_a_big_maze_with_two_key_door_pairs_and_a_switch_gate_pair_is_searched_whole() -> None:
    maze = parse(
        """
        ################
        #>r............#
        #..............#
        #..............#
        #...b..........#
        #..............#
        #..............#
        ######R#########
        #..............#
        ######B#########
        #..............#
        #.0............#
        ##########=#####
        #..............#
        #.............*#
        ################
        """
    )
    truth = brute_force(maze)
    solution = solve(maze)
    assert (solution.states, truth.moves) == (truth.states, (solution.cell_moves, len(solution.actions)))


def test_twenty_mechanisms_of_every_kind_fit_into_a_search() -> None:
    lines = ["#" * 24, "#>*." + "." * 19 + "#", "#" + "r" * 20 + "..#", "#" + "0" * 20 + "..#"]
    lines += ["#" + "R" * 20 + "..#", "#" + "=" * 20 + "..#", "#" * 24]
    board = compile_board(parse("\n".join(lines)))
    assert shortest_plan(board) == (Action.MOVE_FORWARD,)
    with pytest.raises(SearchLimitExceeded):
        DistanceField(board, max_states=50_000)


def test_states_with_every_mask_bit_set_are_told_apart() -> None:
    lines = ["#" * 23, "#>" + "0" * 20 + "#", "#" + "." * 20 + "*#", "#" * 23]
    board = compile_board(parse("\n".join(lines)))
    state = board.start._replace(on=2**20 - 1)
    plan = shortest_plan(board, state)
    assert plan is not None
    event = -1
    for action in plan:
        state, event, _ = rules.step(board, state, action)
    assert (event, state.on) == (Event.DONE, 2**20 - 1)


@given(small_mazes, choices(60))
def test_the_table_of_distances_says_what_the_field_says(maze: Maze, chosen: bytes) -> None:
    board = compile_board(maze)
    field = DistanceField(board)
    table = field.table()
    assert table is not None
    for state in history(board, chosen):
        distance = field.distance(state)
        assert table.distance(state) == (-1 if distance is None else distance)


def test_a_table_that_would_be_huge_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    field = DistanceField(compile_board(parse(WASTEFUL)))
    assert field.table() is not None
    monkeypatch.setattr(solver, "MAX_TABLE", 100)
    assert field.table() is None
