"""The rules of Pacman: the sample of the README, laws of any game, and every edge by itself."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest
from hypothesis import given

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules import Action, Event, State
from maze_gym.envs.pacman.rules import ghost_paths as paths
from maze_gym.envs.pacman.rules import layout as boards_as_text
from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.ghost_paths import path_distances
from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout
from maze_gym.errors import InvalidArgument

from ..boards import ACTIONS, CLASSIC_BOARD, LUCK, MINDS, layouts, play

UP, DOWN, LEFT, RIGHT = Action


def board_of(*rows: str, mind: GhostBehaviour = GhostBehaviour()) -> rules.Board:  # noqa: B008 - frozen
    return rules.compile_board(boards_as_text.parse(rows), mind)


def test_one_left_on_the_classic_board_does_what_the_sample_shows() -> None:
    state, events, points = rules.step(CLASSIC_BOARD, CLASSIC_BOARD.start, LEFT)
    assert (points, state.score, state.pellets.bit_count()) == (10, 10, 83)
    assert [CLASSIC.position(ghost) for ghost in state.ghosts] == [(0, 3), (0, 4), (9, 4)]
    assert CLASSIC.position(state.player) == (9, 3)
    assert events == Event.DOT
    assert state.pellets >> CLASSIC.player & 1, "the pellet under the start is not eaten"


@pytest.mark.parametrize(("action", "survives"), [(UP, True), (LEFT, True), (DOWN, False), (RIGHT, False)])
def test_first_moves_on_the_classic_board(action: Action, survives: bool) -> None:  # noqa: FBT001 - a parameter
    events = rules.step(CLASSIC_BOARD, CLASSIC_BOARD.start, action).events
    assert bool(events & Event.DIED) != survives


def test_the_most_points_of_the_classic_board_are_stated() -> None:
    assert rules.max_score(CLASSIC) == 80 * 10 + 4 * 50 + 4 * 3 * 200 + 1000 == 4400


@given(layout=layouts(), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_laws_of_every_game(layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int) -> None:
    """Pellets only go, the score is the sum of its parts and bounded, nobody is in a wall or jumps."""
    board = rules.compile_board(layout, mind)
    eaten = paid = 0
    for before, action, (after, events, points) in play(board, actions, luck):
        gone = before.pellets & ~after.pellets
        assert not after.pellets & ~before.pellets
        assert gone in (0, 1 << after.player)
        newly = bool(events & Event.POWER)
        parts = rules.POWER_POINTS if newly else rules.DOT_POINTS if events & Event.DOT else 0
        parts += rules.WIN_POINTS if events & Event.WON else 0
        ghosts_paid, odd = divmod(points - parts, rules.GHOST_POINTS)
        assert not odd
        assert bool(ghosts_paid) == bool(events & Event.GHOST)
        if after.timer:
            assert ghosts_paid == (after.spent & ~(0 if newly else before.spent)).bit_count()
        eaten |= gone
        paid += ghosts_paid
        assert after.score == before.score + points
        assert bool(events & Event.BUMPED) == (after.player == before.player)
        assert board.moves[action][before.player] == after.player
        assert 0 <= after.timer <= rules.POWER_STEPS
        for index, ghost in enumerate(after.ghosts):
            assert not layout.walls >> ghost & 1
            assert ghost in (
                *layout.neighbours(before.ghosts[index]),
                before.ghosts[index],
                board.homes[index],
            )
        assert not layout.walls >> after.player & 1
        assert bool(events & Event.WON) == (not after.pellets and not events & Event.DIED)
        assert after.spent == 0 or after.timer > 0
        assert after.score <= rules.max_score(layout)
    assert paid <= len(layout.ghosts) * layout.power.bit_count()


@given(layout=layouts(), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_same_luck_same_game(layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int) -> None:
    board = rules.compile_board(layout, mind)
    assert play(board, actions, luck) == play(copy.deepcopy(board), actions, luck)
    assert pickle.loads(pickle.dumps(board)) is board  # noqa: S301 - our own bytes


@given(layout=layouts(), mind=MINDS, actions=ACTIONS, luck=LUCK)
def test_nobody_swaps_places_unnoticed(
    layout: Layout, mind: GhostBehaviour, actions: list[int], luck: int
) -> None:
    """A player that enters a ghost's cell always meets it there."""
    board = rules.compile_board(layout, mind)
    for before, _, (after, events, _) in play(board, actions, luck):
        if after.player in before.ghosts:
            assert events & (Event.DIED | Event.GHOST | Event.AGAIN)


@given(layout=layouts(), actions=ACTIONS)
def test_ghosts_of_the_readme_never_move_away(layout: Layout, actions: list[int]) -> None:
    """By Manhattan distance one step closer, or where they were, or home because they were eaten."""
    board = rules.compile_board(layout)

    def distance(one: int, two: int) -> int:
        (row, col), (row2, col2) = layout.position(one), layout.position(two)
        return abs(row - row2) + abs(col - col2)

    for before, _, (after, events, _) in play(board, actions):
        if events & (Event.GHOST | Event.AGAIN | Event.DIED | Event.WON):
            continue
        for was, now in zip(before.ghosts, after.ghosts, strict=True):
            assert distance(now, after.player) == distance(was, after.player) - (now != was)


@given(layout=layouts(), actions=ACTIONS)
def test_ghosts_that_know_the_way_take_a_shortest_one(layout: Layout, actions: list[int]) -> None:
    board = rules.compile_board(layout, GhostBehaviour(chase="path"))
    for before, _, (after, events, _) in play(board, actions):
        if events & (Event.GHOST | Event.AGAIN | Event.DIED | Event.WON):
            continue
        distances = path_distances(layout, after.player)
        for was, now in zip(before.ghosts, after.ghosts, strict=True):
            assert distances[now] == distances[was] - (now != was)


def test_power_lasts_for_the_fifteen_steps_after_eating() -> None:
    """Shown as 15 right after eating; 1 still protects, 0 does not."""
    board = board_of(".pOW", "WWWW", "gEEE")
    state = rules.step(board, board.start, RIGHT).state
    timers = [state.timer]
    while state.timer:
        state = rules.step(board, state, UP).state
        timers.append(state.timer)
    assert timers == list(range(15, -1, -1))


@pytest.mark.parametrize(
    ("timer", "event"), [(15, Event.GHOST), (2, Event.GHOST), (1, Event.GHOST), (0, Event.DIED)]
)
def test_timer_decides_when_a_ghost_is_met(timer: int, event: Event) -> None:
    """It runs down when the step is over, so a 1 still holds when the ghost is met."""
    board = board_of("pgE.")
    start = board.start._replace(timer=timer)
    state, events, _ = rules.step(board, start, RIGHT)
    assert events & event
    if event == Event.GHOST:
        assert (state.timer, state.ghosts, state.score) == (timer - 1, (1,), 200)


def test_new_power_sets_the_timer_to_fifteen_and_pays_every_ghost_again() -> None:
    board = board_of("pO.", "EEg")
    state = rules.step(board, board.start._replace(timer=9, spent=1), RIGHT).state
    assert (state.timer, state.spent) == (15, 0)


def test_an_eaten_ghost_sits_out_the_step_and_pays_once_per_power_pellet() -> None:
    board = board_of("pEEEg.")
    near = State(player=1, ghosts=(2,), pellets=1 << 5, timer=10)
    state, events, points = rules.step(board, near, RIGHT)
    assert (state.ghosts, state.spent, points) == ((4,), 1, 200)
    assert events == Event.GHOST
    state, events, points = rules.step(board, state, RIGHT)  # it comes and is eaten for nothing
    assert (state.player, state.ghosts, points) == (3, (4,), 0)
    assert events == Event.AGAIN


def test_farming_one_ghost_for_a_whole_power_pellet_pays_once() -> None:
    board = board_of("pOEg.")
    state = rules.step(board, board.start, RIGHT).state
    gained = 0
    for _ in range(13):
        state, _, points = rules.step(board, state, UP)
        gained += points
    assert gained == 200


def test_a_ghost_on_the_last_pellet_is_death() -> None:
    board = board_of("pGE")
    state, events, _ = rules.step(board, board.start, RIGHT)
    assert events == Event.DOT | Event.DIED
    assert state.score == 10


def test_a_ghost_on_the_last_pellet_is_eaten_with_power_and_the_game_is_won() -> None:
    board = board_of("pGE")
    state, events, points = rules.step(board, board.start._replace(timer=5), RIGHT)
    assert events == Event.DOT | Event.GHOST | Event.WON
    assert points == state.score == 10 + 200 + 1000


def test_ghosts_do_not_move_after_a_win() -> None:
    board = board_of("p.Eg")
    state, events, _ = rules.step(board, board.start, RIGHT)
    assert events == Event.DOT | Event.WON
    assert state.ghosts == board.homes


def test_a_bump_stays_costs_nothing_and_lets_ghosts_move() -> None:
    board = board_of("PEEg.", "WWWWW")
    state, events, points = rules.step(board, board.start, DOWN)
    assert (state.player, events, points, state.ghosts) == (0, Event.BUMPED, 0, (2,))


def test_ghosts_prefer_left_right_up_down() -> None:
    board = board_of("gEE", "EE.", "Epg")
    towards = board.table[rules.WAYS + 2 * 4]  # the cell in the middle
    assert (towards[0], towards[8]) == (1, 7), "right before down, left before up"


@pytest.mark.parametrize("ways", [(), (3,), (2, 1), (3, 0, 1), (2, 3, 0, 1)])
def test_luck_decides_between_all_ways_that_are_as_good(ways: tuple[int, ...]) -> None:
    lucks = [number * rules.LUCK_STEP & rules.LUCK_MASK for number in range(100)]
    chosen = {rules.choose(paths.code(ways), luck, rules.LUCK_MASK) for luck in lucks}
    assert {way for way, _ in chosen} == set(ways or (paths.STAY,))
    assert len(chosen) == 100, "luck rolls on from each, or stays as it is where there is no choice"


def test_fleeing_ghosts_run_while_there_is_power_only() -> None:
    board = board_of("pEEgE.", mind=GhostBehaviour(flee=True))
    assert rules.step(board, board.start._replace(timer=5), RIGHT).state.ghosts == (4,)
    assert rules.step(board, board.start, RIGHT).state.ghosts == (2,)


def test_scattering_ghosts_take_turns_between_corners_and_the_player() -> None:
    board = rules.compile_board(CLASSIC, GhostBehaviour(scatter=True))
    start = board.start
    scattered = rules.step(board, start, UP).state
    assert CLASSIC.position(scattered.ghosts[0]) == (0, 5), "towards the top right corner"
    chasing = rules.step(board, start._replace(phase=rules.SCATTER_STEPS), UP).state
    assert CLASSIC.position(chasing.ghosts[0]) == (1, 4), "straight down to the player"
    last = rules.step(board, start._replace(phase=rules.CYCLE_STEPS - 1), UP).state
    assert last.phase == 0


def test_random_ties_depend_on_luck_alone() -> None:
    board = rules.compile_board(CLASSIC, GhostBehaviour(random_ties=True))
    seen = {rules.step(board, board.start._replace(luck=luck), LEFT).state.ghosts for luck in range(40)}
    assert len(seen) == 4, "two ghosts with two ways each"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"chase": "teleport"}, "chase must be one of manhattan, path"),
        ({"flee": 1}, "flee must be True or False"),
    ],
)
def test_unknown_minds_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        replace(GhostBehaviour(), **fields)  # type: ignore[arg-type]  # wrong on purpose
