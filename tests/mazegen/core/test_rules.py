"""The transition function: each row of the table by example, its laws by Hypothesis."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.maze import KEY_COLORS, Facing, Maze, Position
from mazegen.core.rules import Action, Board, Event, Outcome, State, compile_board, step
from mazegen.core.symmetry import rotate
from mazegen.rendering.picture import parse

from ...strategies import Play, actions_of, choices, history, mazes, plays
from ..reference import Reference, Result, World

LEFT, RIGHT, FORWARD = Action.TURN_LEFT, Action.TURN_RIGHT, Action.MOVE_FORWARD
PICKUP, TOGGLE, DONE = Action.PICKUP, Action.TOGGLE, Action.DONE


class Episode:
    """Plays a drawing action by action and remembers the last outcome."""

    def __init__(self, drawing: str | Maze, finish: rules.Finish = "arrival", **options: object) -> None:
        self.maze = drawing if isinstance(drawing, Maze) else parse(drawing, **options)  # type: ignore[arg-type]  # passed on as they are
        self.board = compile_board(self.maze, finish)
        self.state = self.board.start
        self.outcome = Outcome(self.state, -1, -1)

    def do(self, *actions: Action) -> Event:
        """Play; return the last event."""
        for action in actions:
            self.outcome = step(self.board, self.state, action)
            self.state = self.outcome.state
        return Event(self.outcome.event)

    @property
    def at(self) -> tuple[int, int]:
        row, col = self.maze.position(self.state.cell)
        return row, col

    def held(self, color: str) -> int:
        return rules.keys_held(self.board, self.state)[KEY_COLORS.index(color)]


# --- the table, row by row -------------------------------------------------------------------------


def test_turning_right_goes_through_the_compass() -> None:
    episode = Episode("#####\n#^.*#\n#####")
    seen = []
    for _ in range(4):
        assert episode.do(RIGHT) == Event.TURNED
        seen.append(Facing(episode.state.facing))
    assert seen == [Facing.EAST, Facing.SOUTH, Facing.WEST, Facing.NORTH]


def test_turning_left_goes_the_other_way() -> None:
    episode = Episode("#####\n#^.*#\n#####")
    assert episode.do(LEFT) == Event.TURNED
    assert episode.state.facing == Facing.WEST


@pytest.mark.parametrize(("glyph", "place"), [("^", (1, 2)), (">", (2, 3)), ("v", (3, 2)), ("<", (2, 1))])
def test_forward_moves_one_cell_where_the_agent_looks(glyph: str, place: tuple[int, int]) -> None:
    episode = Episode(f"######\n#...*#\n#.{glyph}..#\n#....#\n######")
    assert episode.do(FORWARD) == Event.MOVED
    assert episode.at == place


def test_a_wall_blocks_and_is_named() -> None:
    episode = Episode("#####\n#^.*#\n#####")
    before = episode.state
    assert episode.do(FORWARD) == Event.BLOCKED
    assert (episode.outcome.blocker, episode.state) == (rules.WALL, before)


def test_a_locked_door_without_its_key_blocks_and_is_named() -> None:
    episode = Episode("######\n#>RB*#\n######")
    before = episode.state
    assert episode.do(FORWARD) == Event.BLOCKED
    assert (episode.outcome.blocker, episode.state) == (rules.DOOR + 0, before)


def test_the_key_of_another_colour_does_not_open_a_door() -> None:
    episode = Episode("######\n#>bR*#\n######")
    episode.do(FORWARD, PICKUP)
    assert episode.do(FORWARD) == Event.BLOCKED


def test_a_closed_gate_blocks_and_is_named() -> None:
    episode = Episode("#######\n#.:>=*#\n#######")
    before = episode.state
    assert episode.do(FORWARD) == Event.BLOCKED
    assert (episode.outcome.blocker, episode.state) == (rules.GATE + 1, before)


def test_a_move_that_is_not_blocked_names_no_blocker() -> None:
    episode = Episode("#####\n#>.*#\n#####")
    episode.do(FORWARD)
    assert episode.outcome.blocker == rules.FREE


def test_walking_into_a_door_with_its_key_moves_onto_it_and_opens_it() -> None:
    episode = Episode("######\n#>rR*#\n######")
    episode.do(FORWARD, PICKUP)
    assert episode.do(FORWARD) == Event.MOVED
    assert (episode.at, episode.state.opened) == ((1, 3), 0b1)


def test_a_kept_key_opens_every_door_of_its_colour() -> None:
    episode = Episode("#######\n#>rRR*#\n#######")
    assert episode.do(FORWARD, PICKUP, FORWARD, FORWARD, FORWARD) == Event.DONE
    assert episode.held("red") == 1


def test_a_consumed_key_opens_one_door_only() -> None:
    episode = Episode("#######\n#>rRR*#\n#######", key_consumption=True)
    assert episode.do(FORWARD, PICKUP, FORWARD) == Event.MOVED
    assert episode.held("red") == 0
    assert episode.do(FORWARD) == Event.BLOCKED
    assert episode.outcome.blocker == rules.DOOR + 1


def test_two_consumed_keys_open_two_doors() -> None:
    episode = Episode("########\n#>rrRR*#\n########", key_consumption=True)
    episode.do(FORWARD, PICKUP, FORWARD, PICKUP)
    assert episode.held("red") == 2
    assert episode.do(FORWARD, FORWARD, FORWARD) == Event.DONE
    assert episode.held("red") == 0


def test_consumed_keys_open_doors_in_any_order() -> None:
    episode = Episode("#######\n#R.r>R#\n#..r.*#\n#######", key_consumption=True)
    take_both = (LEFT, LEFT, FORWARD, PICKUP, LEFT, FORWARD, PICKUP)
    assert episode.do(*take_both) == Event.PICKUP
    assert episode.do(LEFT, LEFT, FORWARD, RIGHT, FORWARD, FORWARD) == Event.MOVED  # through the second door
    assert episode.state.opened == 0b10
    assert episode.do(LEFT, LEFT, FORWARD, FORWARD, FORWARD, FORWARD) == Event.MOVED  # and the first
    assert (episode.state.opened, episode.held("red")) == (0b11, 0)


def test_an_opened_door_stays_open_after_its_key_is_used_up() -> None:
    episode = Episode("######\n#>rR*#\n######", key_consumption=True)
    episode.do(FORWARD, PICKUP, FORWARD, LEFT, LEFT, FORWARD, LEFT, LEFT)
    assert episode.do(FORWARD) == Event.MOVED


def test_arriving_on_the_goal_is_success() -> None:
    episode = Episode("#####\n#>.*#\n#####")
    assert episode.do(FORWARD, FORWARD) == Event.DONE
    assert episode.at == (1, 3)


def test_arriving_is_only_a_move_when_success_has_to_be_declared() -> None:
    episode = Episode("#####\n#>.*#\n#####", finish="done_action")
    assert episode.do(FORWARD, FORWARD) == Event.MOVED
    assert episode.do(DONE) == Event.DONE


@pytest.mark.parametrize("finish", ["arrival", "done_action"])
def test_declaring_success_elsewhere_is_wrong_and_changes_nothing(finish: rules.Finish) -> None:
    episode = Episode("#####\n#>.*#\n#####", finish=finish)
    before = episode.state
    assert episode.do(DONE) == Event.WRONG_DONE
    assert episode.state == before


def test_a_key_is_picked_up_from_the_own_cell() -> None:
    episode = Episode("#####\n#>r*#\n#####")
    assert episode.do(FORWARD, PICKUP) == Event.PICKUP
    assert (episode.held("red"), episode.state.taken) == (1, 0b1)


def test_a_key_in_the_faced_cell_is_out_of_reach() -> None:
    episode = Episode("#####\n#>r*#\n#####")
    assert episode.do(PICKUP) == Event.NOTHING
    assert episode.held("red") == 0


def test_each_key_is_there_only_once() -> None:
    episode = Episode("######\n#>rb*#\n######")
    assert episode.do(FORWARD, PICKUP, PICKUP) == Event.NOTHING
    assert episode.do(FORWARD, PICKUP, PICKUP) == Event.NOTHING
    assert (episode.held("red"), episode.held("blue")) == (1, 1)


@pytest.mark.parametrize("glyph", ["r", "0", "1", ":"])
def test_keys_switches_and_open_gates_can_be_walked_over(glyph: str) -> None:
    episode = Episode(f"#####\n#>{glyph}*#\n#####")
    assert episode.do(FORWARD) == Event.MOVED


def test_a_switch_in_the_faced_cell_toggles_and_opens_its_gate() -> None:
    episode = Episode("#####\n#>0##\n#.=*#\n#####")
    assert episode.do(TOGGLE) == Event.TOGGLED
    assert (episode.state.on, rules.is_gate_open(episode.board, episode.state, 0)) == (0b1, True)


def test_a_switch_can_be_toggled_back_and_closes_its_gate() -> None:
    episode = Episode("#####\n#>0##\n#.=*#\n#####")
    assert episode.do(TOGGLE, TOGGLE) == Event.TOGGLED
    assert (episode.state.on, rules.is_gate_open(episode.board, episode.state, 0)) == (0, False)


def test_a_switch_under_the_agent_is_out_of_reach() -> None:
    episode = Episode("#####\n#>0##\n#.=*#\n#####")
    assert episode.do(FORWARD, TOGGLE) == Event.NOTHING
    assert episode.state.on == 0


@pytest.mark.parametrize("glyph", [".", "#", "r", "R", "=", ":", "*"])
def test_toggling_anything_but_a_switch_does_nothing(glyph: str) -> None:
    goal = "." if glyph == "*" else "*"
    episode = Episode(f"#####\n#>{glyph}##\n#..{goal}#\n#####")
    before = episode.state
    assert episode.do(TOGGLE) == Event.NOTHING
    assert episode.state == before


def test_a_one_shot_switch_only_turns_on() -> None:
    maze = parse("#####\n#>0##\n#.=*#\n#####")
    switch = maze.switches[0]
    one_shot = type(switch)(switch.id, switch.position, switch.controls, kind="one_shot")
    episode = Episode(replace(maze, switches=(one_shot,)))
    assert episode.do(TOGGLE) == Event.TOGGLED
    assert episode.do(TOGGLE) == Event.NOTHING
    assert episode.state.on == 0b1


def test_a_one_shot_switch_that_is_on_at_the_start_cannot_be_turned_off() -> None:
    maze = parse("#####\n#>1##\n#.:*#\n#####")
    switch = maze.switches[0]
    one_shot = type(switch)(switch.id, switch.position, switch.controls, kind="one_shot", initially_on=True)
    assert Episode(replace(maze, switches=(one_shot,))).do(TOGGLE) == Event.NOTHING


def test_an_initially_open_door_needs_no_key() -> None:
    maze = parse("#####\n#>R*#\n#####")
    door = maze.doors[0]
    opened = type(door)(door.id, door.position, door.color, initially_open=True)
    assert Episode(replace(maze, doors=(opened,))).do(FORWARD) == Event.MOVED


def test_an_initially_open_door_uses_up_no_key() -> None:
    maze = parse("#######\n#>rRR*#\n#######", key_consumption=True)
    first, second = maze.doors
    opened = type(first)(first.id, first.position, first.color, initially_open=True)
    episode = Episode(replace(maze, doors=(opened, second)))
    assert episode.do(FORWARD, PICKUP, FORWARD, FORWARD, FORWARD) == Event.DONE


def test_an_initially_open_gate_stays_open_while_an_unrelated_switch_is_toggled() -> None:
    episode = Episode("#######\n#>0..*#\n#.:=..#\n#######", controls={"s1": ["g2"]})
    episode.do(TOGGLE)
    assert [rules.is_gate_open(episode.board, episode.state, gate) for gate in (0, 1)] == [True, True]


def test_an_initially_open_gate_closes_when_its_switch_turns_on() -> None:
    episode = Episode("#####\n#>0##\n#.:*#\n#####")
    episode.do(TOGGLE)
    assert not rules.is_gate_open(episode.board, episode.state, 0)


def test_a_gate_keeps_its_initial_state_although_its_switch_is_on_at_the_start() -> None:
    episode = Episode("#####\n#>1##\n#.=*#\n#####")
    assert not rules.is_gate_open(episode.board, episode.state, 0)
    episode.do(TOGGLE)
    assert rules.is_gate_open(episode.board, episode.state, 0)


def test_a_gate_with_two_switches_flips_only_when_any_is_on_flips() -> None:
    drawing = "#####\n#0>0#\n#.=*#\n#####"
    episode = Episode(drawing, controls={"s1": ["g1"], "s2": ["g1"]})
    is_open = []
    for actions in ((TOGGLE,), (LEFT, LEFT, TOGGLE), (TOGGLE,), (LEFT, LEFT, TOGGLE)):
        episode.do(*actions)
        is_open.append(rules.is_gate_open(episode.board, episode.state, 0))
    assert is_open == [True, True, True, False]


def test_one_switch_moves_several_gates() -> None:
    episode = Episode("######\n#>0.*#\n#.=:.#\n######", controls={"s1": ["g1", "g2"]})
    episode.do(TOGGLE)
    assert [rules.is_gate_open(episode.board, episode.state, gate) for gate in (0, 1)] == [True, False]


def test_a_gate_that_closes_on_the_agent_does_not_trap_it() -> None:
    episode = Episode("######\n#.:>.#\n#.0.*#\n######")
    episode.do(LEFT, LEFT, FORWARD, LEFT, TOGGLE)
    assert not rules.is_gate_open(episode.board, episode.state, 0)
    assert episode.do(LEFT, FORWARD) == Event.MOVED


def test_finish_must_be_one_of_two_words() -> None:
    with pytest.raises(ValueError, match=r"finish must be 'arrival' or 'done_action', got 'never'"):
        compile_board(parse("#####\n#>.*#\n#####"), "never")  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("quarter_turns", range(4))
def test_every_mechanism_works_in_every_direction_of_a_non_square_board(quarter_turns: int) -> None:
    drawing = """
        #########
        #>rR0=*##
        #########
    """
    maze = parse(drawing, controls={"s1": ["g1"]})
    episode = Episode(rotate(maze, quarter_turns))
    plan = (FORWARD, PICKUP, FORWARD, TOGGLE, FORWARD, FORWARD, FORWARD)
    events = [episode.do(action) for action in plan]
    assert events == [
        Event.MOVED, Event.PICKUP, Event.MOVED, Event.TOGGLED, Event.MOVED, Event.MOVED, Event.DONE,
    ]  # fmt: skip


# --- laws ------------------------------------------------------------------------------------------


def translated(maze: Maze, board: Board, state: State) -> World:
    """A state in the words of the reference."""
    held = rules.keys_held(board, state)
    inventory = [color for color, count in zip(KEY_COLORS, held, strict=True) for _ in range(count)]
    return World(
        at=divmod(state.cell, maze.cols),
        facing=Facing(state.facing).name,
        # Kept keys stay in the inventory of the reference as often as they were picked up, and so here.
        inventory=tuple(sorted(inventory)),
        taken=frozenset(key.id for i, key in enumerate(maze.keys) if state.taken >> i & 1),
        opened=frozenset(door.id for i, door in enumerate(maze.doors) if state.opened >> i & 1),
        on=frozenset(switch.id for i, switch in enumerate(maze.switches) if state.on >> i & 1),
    )


def blocker_name(maze: Maze, code: int) -> str | None:
    """The code of a blocker in the words of the reference."""
    if code == rules.FREE:
        return None
    if code == rules.WALL:
        return "wall"
    if code >= rules.GATE:
        return maze.gates[code - rules.GATE].id
    return maze.doors[code - rules.DOOR].id


@given(maze=mazes(), chosen=choices(200), finish=st.sampled_from(("arrival", "done_action")))
def test_every_step_agrees_with_the_independent_telling(
    maze: Maze, chosen: bytes, finish: rules.Finish
) -> None:
    board, reference = compile_board(maze, finish), Reference(maze, finish)
    state, world = board.start, reference.start
    assert translated(maze, board, state) == world
    for action in actions_of(board, chosen):
        outcome, expected = step(board, state, action), reference.step(world, action.name)
        state, world = outcome.state, expected.world
        seen = Result(
            translated(maze, board, state), Event(outcome.event).name, blocker_name(maze, outcome.blocker)
        )
        assert seen == expected
        event(expected.event)


@given(play=plays(), action=st.sampled_from(Action))
def test_the_state_changes_exactly_when_the_event_says_so(play: Play, action: Action) -> None:
    outcome = step(play.board, play.state, action)
    idle = outcome.event in (Event.BLOCKED, Event.NOTHING, Event.WRONG_DONE)
    idle |= outcome.event == Event.DONE and action == Action.DONE
    assert (outcome.state == play.state) == idle


@given(play=plays(), action=st.sampled_from(Action))
def test_a_blocker_is_named_exactly_when_the_move_is_blocked(play: Play, action: Action) -> None:
    outcome = step(play.board, play.state, action)
    assert (outcome.blocker != rules.FREE) == (outcome.event == Event.BLOCKED)


@given(play=plays(), turns=st.lists(st.sampled_from((LEFT, RIGHT)), max_size=8))
def test_turns_compose(play: Play, turns: list[Action]) -> None:
    state = play.state
    for turn in turns:
        state = step(play.board, state, turn).state
    facing = (play.state.facing + turns.count(RIGHT) - turns.count(LEFT)) % 4
    assert state == play.state._replace(facing=facing)


@given(maze=mazes(), chosen=choices())
def test_taken_keys_never_reappear_and_doors_never_close(maze: Maze, chosen: bytes) -> None:
    states = list(history(compile_board(maze), chosen))
    for before, after in pairwise(states):
        assert before.taken & after.taken == before.taken
        assert before.opened & after.opened == before.opened


@given(maze=mazes(kinds=("switch", "gate")), chosen=choices())
def test_a_gate_flips_exactly_when_any_of_its_switches_is_on_flips(maze: Maze, chosen: bytes) -> None:
    assume(maze.gates)
    board = compile_board(maze)

    def any_on(state: State, gate: str) -> bool:
        return any(state.on >> i & 1 for i, switch in enumerate(maze.switches) if gate in switch.controls)

    states = list(history(board, chosen))
    for index, gate in enumerate(maze.gates):
        assert rules.is_gate_open(board, states[0], index) == gate.initially_open
        for before, after in pairwise(states):
            flipped = rules.is_gate_open(board, before, index) != rules.is_gate_open(board, after, index)
            assert flipped == (any_on(before, gate.id) != any_on(after, gate.id))


@given(maze=mazes(kinds=("switch",)), chosen=choices())
def test_one_shot_switches_never_turn_off(maze: Maze, chosen: bytes) -> None:
    states = list(history(compile_board(maze), chosen))
    one_shot = sum(1 << i for i, switch in enumerate(maze.switches) if switch.kind == "one_shot")
    for before, after in pairwise(states):
        assert before.on & one_shot & ~after.on == 0


@given(play=plays(mazes(kinds=("key", "door"))))
def test_a_key_of_a_colour_is_held_exactly_when_a_locked_door_of_it_can_be_entered(play: Play) -> None:
    held = rules.keys_held(play.board, play.state)
    for index, door in enumerate(play.maze.doors):
        if not play.state.opened >> index & 1:
            can_enter = rules.can_enter(play.board, play.state, rules.DOOR + index)
            assert can_enter == (held[KEY_COLORS.index(door.color)] > 0)


@given(play=plays(mazes(kinds=("key", "door"))))
def test_the_number_of_keys_held_is_never_negative(play: Play) -> None:
    assert min(rules.keys_held(play.board, play.state)) >= 0


@given(maze=mazes(kinds=("key", "door"), key_consumption=True), chosen=choices(200))
def test_each_door_that_is_opened_uses_up_exactly_one_key(maze: Maze, chosen: bytes) -> None:
    board = compile_board(maze)
    states = list(history(board, chosen))
    for before, after in pairwise(states):
        picked = (after.taken & ~before.taken).bit_count()
        opened = (after.opened & ~before.opened).bit_count()
        assert sum(rules.keys_held(board, after)) == sum(rules.keys_held(board, before)) + picked - opened


@given(play=plays(mazes(kinds=("key", "door"), key_consumption=False)))
def test_kept_keys_are_held_for_good(play: Play) -> None:
    assert sum(rules.keys_held(play.board, play.state)) == play.state.taken.bit_count()


@given(play=plays())
def test_what_can_be_entered_is_what_a_step_forward_enters(play: Play) -> None:
    ahead = play.board.codes[play.state.cell + play.board.strides[play.state.facing]]
    moved = step(play.board, play.state, FORWARD).event != Event.BLOCKED
    assert rules.can_enter(play.board, play.state, ahead) == moved


@given(play=plays(finish="done_action"))
def test_only_done_on_the_goal_succeeds_when_success_has_to_be_declared(play: Play) -> None:
    on_goal = play.maze.position(play.state.cell) == play.maze.goal
    for action in Action:
        succeeds = step(play.board, play.state, action).event == Event.DONE
        assert succeeds == (on_goal and action == DONE)


@given(play=plays(), action=st.sampled_from(Action))
def test_the_agent_never_leaves_the_floor(play: Play, action: Action) -> None:
    position = play.maze.position(step(play.board, play.state, action).state.cell)
    assert isinstance(position, Position)
    assert not play.maze.is_wall(position)


@given(play=plays(), action=st.sampled_from(Action))
def test_states_hold_plain_ints(play: Play, action: Action) -> None:
    outcome = step(play.board, play.state, action)
    assert {type(value) for value in (*outcome.state, outcome.event, outcome.blocker)} == {int}
