"""How Pacman is played: ``step`` is the one transition function of env, search, text and tests.

Numbers come from the README of pacman-array; where it is silent or contradicts itself, the reading that
reproduces its sample interaction was chosen:

1. The player moves; into a wall or over the edge it stays where it is, and the step counts.
2. If it has moved, it eats what lies there. A power pellet sets the timer to 15, whatever it was.
3. It meets the ghosts on its new cell. Therefore nobody can swap places with a ghost.
4. When nothing is left to eat, the game is won and the ghosts do not move any more.
5. Each ghost in turn moves towards the player's new cell, and meets the player there.
6. The power timer runs down by one, but not in the step in which a power pellet is eaten.

So the timer that a state shows is the number of coming steps in which a ghost that is met is eaten: 15 right
after a power pellet, and at 0 none.

A ghost met while the timer runs is eaten: it goes back to its start and sits out the rest of the step.
It pays once per power pellet; eaten again before the next one it pays nothing, so that points are bounded
by ``max_score`` and no one can live on ghosts. A ghost met otherwise ends the game, the last pellet or not.

``advance`` keeps this order, and nothing else does. It is a function of numbers and of two things that are
indexed, the ghosts' cells and the board's table: this very source runs on a list and tuples for one game, in
``step``, and compiled on arrays for many, in ``batch``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
from maze_gym.envs.pacman.rules.ghost_paths import (
    COUNT_BITS,
    COUNT_MASK,
    STAY,
    WAY_BITS,
    WAY_MASK,
    corner_cells,
    way_rows,
)
from maze_gym.envs.pacman.rules.points import DOT_POINTS, GHOST_POINTS, POWER_POINTS, WIN_POINTS

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    from maze_gym.envs.pacman.rules.layout import Layout

Table: TypeAlias = "Sequence[Sequence[int]]"

POWER_STEPS = 15  # README: "After eating a power pellet, Pacman is powered up for 15 steps"
SCATTER_STEPS = 7  # of each cycle; the arcade game scatters for 7 s and chases for 20 s (Pac-Man Dossier)
CHASE_STEPS = 20
CYCLE_STEPS = SCATTER_STEPS + CHASE_STEPS
# Knuth's MMIX generator (TAOCP 2, 3.3.4): 64 bits, the high ones are the good ones.
LUCK_FACTOR, LUCK_STEP, LUCK_MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1
LUCK_SHIFT, LUCK_BITS = 33, (1 << 31) - 1


class Action(IntEnum):
    """README of pacman-array, "Actions (4 total)"."""

    UP = 0
    DOWN = 1
    LEFT = 2
    RIGHT = 3


class Event(IntFlag):
    """What came of a step; several can come together."""

    BUMPED = 1  # a wall or the edge: the player stayed
    DOT = 2
    POWER = 4
    GHOST = 8  # a ghost was eaten and paid for
    AGAIN = 16  # a ghost was eaten that this power pellet had paid for already
    DIED = 32
    WON = 64


_BUMPED, _DOT, _POWER, _GHOST, _AGAIN, _DIED, _WON = (int(event) for event in Event)  # plain: on the hot path
LUCK_VALUES = 1 << 63  # what first states draw from: all that a signed 64-bit integer holds
# Rows of a board's table: for each action where it leads, then these, then ``ghost_paths.way_rows``.
HOMES, CORNERS, MIND, WAYS = range(4, 8)  # starts of the ghosts, where each scatters to, how they think
CORNER_COUNT = 4
FLEES, SCATTERS, TIES = range(3)  # entries of MIND; the last is the mask of ``rolled``, 0 without random ties
_new = tuple.__new__  # twice as fast as the constructor of a NamedTuple
OVER, ATE = _DIED | _WON, _DOT | _POWER


class State(NamedTuple):
    """All that changes in a game; hashable.

    Attributes:
        player: its cell.
        ghosts: the cell of each.
        pellets: mask of what is left to eat, power pellets among it.
        timer: coming steps in which ghosts can be eaten, 0 to ``POWER_STEPS``.
        spent: mask of ghosts that this power pellet has paid for.
        score: points so far.
        phase: steps into the cycle of scattering and chasing; 0 where ghosts never scatter.
        luck: 64 bits that decide ties; unused and constant where ties are not random.
    """

    player: int
    ghosts: tuple[int, ...]
    pellets: int
    timer: int = 0
    spent: int = 0
    score: int = 0
    phase: int = 0
    luck: int = 0


class Outcome(NamedTuple):
    """What a step led to.

    Attributes:
        state: the state after it.
        events: bits of ``Event``.
        points: by which the score grew.
    """

    state: State
    events: int
    points: int


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A layout made ready for play.

    Attributes:
        layout: what it was made from.
        mind: how its ghosts think.
        moves: per action, where it leads from each cell; the cell itself where the way is blocked.
        power: mask of power pellets at the start.
        homes: start of each ghost.
        table: all that ``advance`` looks up; its rows are named above.
        start: the first state, with luck 0.
    """

    layout: Layout
    mind: GhostBehaviour
    moves: tuple[tuple[int, ...], ...]
    power: int
    homes: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    start: State

    def __reduce__(self) -> tuple[Callable[..., Board], tuple[Layout, GhostBehaviour]]:
        """A copy is the same board, for nothing in it ever changes: cheap, however large its tables are."""
        return compile_board, (self.layout, self.mind)


@lru_cache(maxsize=256)
def compile_board(layout: Layout, mind: GhostBehaviour = GhostBehaviour()) -> Board:  # noqa: B008 - frozen
    """The tables of a layout; kept for layouts used last."""
    moves = tuple(zip(*(layout.neighbours(cell) for cell in range(layout.cells)), strict=True))
    thoughts = int(mind.flee), int(mind.scatter), LUCK_MASK if mind.random_ties else 0
    return Board(
        layout=layout,
        mind=mind,
        moves=moves,
        power=layout.power,
        homes=layout.ghosts,
        table=(*moves, layout.ghosts, corner_cells(layout), thoughts, *way_rows(layout, mind)),
        start=State(layout.player, layout.ghosts, layout.pellets),
    )


# What the player finds on the cell that an action leads to.
NOTHING, PELLET, POWER_PELLET = 0, 1, 2
BLOCKED = 3  # it stays where it is, and what lies there is not eaten
CHASE, FLEE, SCATTER = 0, 1, 2  # what ghosts are after


def enter(lies: int, timer: int, spent: int) -> tuple[int, int, int, int]:
    """The player's half of a step: it eats what lies there.

    Args:
        lies: ``NOTHING``, ``PELLET``, ``POWER_PELLET`` or ``BLOCKED``.
        timer: steps of power left.
        spent: mask of ghosts that this power pellet has paid for.

    Returns:
        ``(timer, spent, events, points)``.
    """
    events = points = 0
    if lies == PELLET:
        events, points = _DOT, DOT_POINTS
    elif lies == POWER_PELLET:
        timer, spent, events, points = POWER_STEPS, 0, _POWER, POWER_POINTS
    elif lies == BLOCKED:
        events = _BUMPED
    return timer, spent, events, points


def contact(met: int, timer: int, spent: int, events: int, points: int) -> tuple[int, int, int]:
    """The player and some ghosts share a cell: with power they are eaten, without it the game is lost.

    Args:
        met: mask of those ghosts, not 0.
        timer: steps of power left.
        spent: mask of ghosts that this power pellet has paid for.
        events: of this step so far.
        points: of this step so far.

    Returns:
        ``(spent, events, points)``; while the timer runs the ghosts of ``met`` go to their starts.
    """
    if not timer:
        return spent, events | _DIED, points
    if met & spent:
        events |= _AGAIN
    unpaid = met & ~spent
    while unpaid:
        unpaid &= unpaid - 1
        events |= _GHOST
        points += GHOST_POINTS
    return spent | met, events, points


def finish(events: int, points: int) -> tuple[int, int]:
    """Nothing is left to eat: the game is won, unless the last pellet was death."""
    if events & _DIED:
        return events, points
    return events | _WON, points + WIN_POINTS


def run_down(timer: int, spent: int, events: int) -> tuple[int, int]:
    """The end of a step: one step of power is used up, unless it was only won in this one.

    Returns:
        ``(timer, spent)``; with the last step of power nothing is left to be paid, so that states that play
        alike are equal.
    """
    if timer and not events & _POWER:
        timer -= 1
        if not timer:
            spent = 0
    return timer, spent


def aim(timer: int, phase: int, flees: int, scatters: int) -> int:
    """What ghosts are after in this step: ``CHASE``, ``FLEE`` or ``SCATTER``.

    Args:
        timer: steps of power left.
        phase: steps into the cycle of scattering and chasing.
        flees: whether ghosts of this mind flee.
        scatters: whether they scatter.
    """
    if timer and flees:
        return FLEE
    if scatters and phase < SCATTER_STEPS:
        return SCATTER
    return CHASE


def rolled(luck: int, mask: int = LUCK_MASK) -> int:
    """The next luck.

    Compiled code counts in 64 bits with a sign, and hands in -1, which has the same bits as the mask.
    """
    return (luck * LUCK_FACTOR + LUCK_STEP) & mask


def choose(code: int, luck: int, mask: int) -> tuple[int, int]:
    """The way that luck decides for, and the luck that is left; see ``ghost_paths.code`` for the code."""
    equal, index = code & COUNT_MASK, 0
    if equal > 1:
        luck = rolled(luck, mask)
        index = (luck >> LUCK_SHIFT & LUCK_BITS) % equal
    return code >> (COUNT_BITS + WAY_BITS * index) & WAY_MASK, luck


def advance(  # noqa: PLR0913, PLR0917 - numbers, for compiled code: see above
    table: Table,
    ghosts: MutableSequence[int],
    player: int,
    target: int,
    lies: int,
    left: int,
    timer: int,
    spent: int,
    phase: int,
    luck: int,
) -> tuple[int, int, int, int, int, int]:
    """One step of a game that is not over, in the order that the top of this module tells.

    Args:
        table: of the board.
        ghosts: the cell of each; changed in place.
        player: the player's cell.
        target: the cell that the action leads to.
        lies: what lies there: ``NOTHING``, ``PELLET`` or ``POWER_PELLET``.
        left: how much is left to eat, before this step.
        timer: steps of power left.
        spent: mask of ghosts that this power pellet has paid for.
        phase: steps into the cycle of scattering and chasing.
        luck: see ``rolled``.

    Returns:
        ``(timer, spent, events, points, phase, luck)``; ``events & ATE`` if what lay there was eaten.
    """
    timer, spent, events, points = enter(BLOCKED if target == player else lies, timer, spent)
    resting = 0
    if target in ghosts:
        resting = ghosts_on(ghosts, target)
        spent, events, points = contact(resting, timer, spent, events, points)
        if timer:
            send_home(table, ghosts, resting)
    if events & ATE:
        left -= 1
    if not left:
        events, points = finish(events, points)
    if events < _DIED:  # the highest two bits: the game goes on
        met, luck = move_ghosts(table, ghosts, resting, target, timer, phase, luck)
        if met:
            spent, events, points = contact(met, timer, spent, events, points)
            if timer:
                send_home(table, ghosts, met)
        if table[MIND][SCATTERS]:
            phase = (phase + 1) % CYCLE_STEPS
    timer, spent = run_down(timer, spent, events)
    return timer, spent, events, points, phase, luck


def ghosts_on(ghosts: Sequence[int], cell: int) -> int:
    """Mask of the ghosts on a cell."""
    found = 0
    for index in range(len(ghosts)):
        if ghosts[index] == cell:
            found |= 1 << index
    return found


def send_home(table: Table, ghosts: MutableSequence[int], eaten: int) -> None:
    """The ghosts of a mask go to their starts."""
    for index in range(len(ghosts)):
        if eaten >> index & 1:
            ghosts[index] = table[HOMES][index]


def move_ghosts(  # noqa: PLR0917 - as above
    table: Table, ghosts: MutableSequence[int], resting: int, target: int, timer: int, phase: int, luck: int
) -> tuple[int, int]:
    """Every ghost moves that does not rest; the mask of those that meet the player, and the luck left."""
    mind = table[MIND]
    ties = mind[TIES]
    aimed = aim(timer, phase, mind[FLEES], mind[SCATTERS])
    ways = table[WAYS + 2 * target + (1 if aimed == FLEE else 0)]
    met = 0
    for index in range(len(ghosts)):
        if resting >> index & 1:
            continue
        ghost = ghosts[index]
        if aimed == SCATTER:
            ways = table[WAYS + 2 * table[CORNERS][index % CORNER_COUNT]]
        goes = ways[ghost]
        if ties:
            way, luck = choose(goes, luck, ties)
            goes = ghost if way == STAY else table[way][ghost]
        ghosts[index] = goes
        if goes == target:
            met |= 1 << index
    return met, luck


def step(board: Board, state: State, action: int) -> Outcome:
    """Advance by one action, 0 to 3; see the top of this module for the order of things.

    The state must not be one after the end of a game: nothing is left to decide there.
    """
    player, cells, pellets, timer, spent, score, phase, luck = state
    target = board.moves[action][player]
    here = 1 << target
    lies = NOTHING
    if pellets & here:
        lies = POWER_PELLET if board.power & here else PELLET
    ghosts = list(cells)
    timer, spent, events, points, phase, luck = advance(
        board.table, ghosts, player, target, lies, pellets.bit_count(), timer, spent, phase, luck
    )
    if events & ATE:
        pellets ^= here
    after = _new(State, (target, tuple(ghosts), pellets, timer, spent, score + points, phase, luck))
    return _new(Outcome, (after, events, points))
