"""How Pacman is played: ``step`` is the one transition function of env, search, text and tests.

Numbers come from the README of pacman-array; where it is silent or contradicts itself, the reading that
reproduces its sample interaction was chosen:

1. The power timer runs down by one.
2. The player moves; into a wall or over the edge it stays where it is, and the step counts.
3. If it has moved, it eats what lies there. A power pellet sets the timer to 15, whatever it was.
4. It meets the ghosts on its new cell. Therefore nobody can swap places with a ghost.
5. When nothing is left to eat, the game is won and the ghosts do not move any more.
6. Each ghost in turn moves towards the player's new cell, and meets the player there.

A ghost met while the timer runs is eaten: it goes back to its start and sits out the rest of the step.
It pays once per power pellet; eaten again before the next one it pays nothing, so that points are bounded
by ``max_score`` and no one can live on ghosts. A ghost met otherwise ends the game, the last pellet or not.

What happens is decided by ``enter``, ``contact``, ``finish``, ``aim`` and ``rolled``: functions of scalars,
so that this very source can be compiled into a loop. Whoever calls them does the look-ups and keeps the
order above; ``step`` does so in tuples and masks, for one game.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from maze_gym.envs.pacman.paths import away_table, corner_cells, toward_table
from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Callable

    from maze_gym.envs.pacman.layouts import Layout
    from maze_gym.envs.pacman.paths import Table

DOT_POINTS = 10  # README of pacman-array: "Dot/Pellet (10 points, +0.1 reward)"
POWER_POINTS = 50  # the same: "Power Pellet (50 points, +0.5 reward)"
GHOST_POINTS = 200  # from its reward of +2.0: every other reward is points / 100
WIN_POINTS = 1000  # from its reward of +10.0; with it a winning score is "~2000-3000", as the README says
POINTS_PER_REWARD = 100  # 10 points pay 0.1
POWER_STEPS = 15  # README: "powered up for 15 steps", the step of eating among them
SCATTER_STEPS = 7  # of each cycle; the arcade game scatters for 7 s and chases for 20 s (Pac-Man Dossier)
CHASE_STEPS = 20
CYCLE_STEPS = SCATTER_STEPS + CHASE_STEPS
# Knuth's MMIX generator (TAOCP 2, 3.3.4): 64 bits, the high ones are the good ones.
LUCK_FACTOR, LUCK_STEP, LUCK_MASK = 6364136223846793005, 1442695040888963407, (1 << 64) - 1
LUCK_SHIFT = 33

Chase = Literal["manhattan", "path"]


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
_new = tuple.__new__  # three times as fast as the constructor of a NamedTuple
OVER = _DIED | _WON


@dataclass(frozen=True, slots=True)
class GhostMind:
    """How the ghosts of a board think; the defaults are the README's.

    Attributes:
        chase: ``"manhattan"`` walks where the straight-line distance shrinks and stays where it cannot;
            ``"path"`` takes a shortest way around walls.
        random_ties: choose between equally good moves by the state's luck, not by a fixed order.
        flee: run from a player with power.
        scatter: in turns of ``SCATTER_STEPS`` and ``CHASE_STEPS``, head for a corner of their own.

    Raises:
        InvalidArgument: a field is of the wrong kind.
    """

    chase: Chase = "manhattan"
    random_ties: bool = False
    flee: bool = False
    scatter: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        if self.chase not in get_args(Chase):
            msg = f"chase must be one of {', '.join(get_args(Chase))}, got {self.chase!r}"
            raise InvalidArgument(msg)
        for name in ("random_ties", "flee", "scatter"):
            if not isinstance(getattr(self, name), bool):
                msg = f"{name} must be True or False, got {getattr(self, name)!r}"
                raise InvalidArgument(msg)


class State(NamedTuple):
    """All that changes in a game; hashable.

    Attributes:
        player: its cell.
        ghosts: the cell of each.
        pellets: mask of what is left to eat, power pellets among it.
        timer: steps of power left, 0 to ``POWER_STEPS``.
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
    """A layout made ready for play; tables are indexed by cell.

    Attributes:
        layout: what it was made from.
        mind: how its ghosts think.
        moves: per action, where it leads from each cell; the cell itself where the way is blocked.
        power: mask of power pellets at the start.
        homes: start of each ghost.
        chase: per target and ghost cell the best move.
        toward: the same with all moves that are as good, in order of preference; never empty.
        away: the same for fleeing; empty where ghosts never flee.
        corners: where each ghost scatters to; empty where ghosts never scatter.
        start: the first state, with luck 0.
        is_plain: whether ghosts do nothing but chase, by a fixed order.
    """

    layout: Layout
    mind: GhostMind
    moves: tuple[tuple[int, ...], ...]
    power: int
    homes: tuple[int, ...]
    chase: tuple[tuple[int, ...], ...]
    toward: Table
    away: Table
    corners: tuple[int, ...]
    start: State
    is_plain: bool

    def __reduce__(self) -> tuple[Callable[..., Board], tuple[Layout, GhostMind]]:
        """A copy is the same board, for nothing in it ever changes: cheap, however large its tables are."""
        return compile_board, (self.layout, self.mind)


@lru_cache(maxsize=256)
def compile_board(layout: Layout, mind: GhostMind = GhostMind()) -> Board:
    """The tables of a layout; kept for layouts used last."""
    by_path = mind.chase == "path"
    toward = toward_table(layout, by_path=by_path)
    around = [layout.neighbours(cell) for cell in range(layout.cells)]
    return Board(
        layout=layout,
        mind=mind,
        moves=tuple(zip(*around, strict=True)),
        power=layout.power,
        homes=layout.ghosts,
        chase=tuple(tuple(moves[0] for moves in row) for row in toward),
        toward=toward,
        away=away_table(layout, by_path=by_path) if mind.flee else (),
        corners=corner_cells(layout) if mind.scatter else (),
        start=State(layout.player, layout.ghosts, layout.pellets),
        is_plain=not (mind.random_ties or mind.flee or mind.scatter),
    )


def max_score(layout: Layout) -> int:
    """The most points that a game can bring: everything eaten, every ghost once per power pellet, a win.

    4,400 for the classic board. It bounds every game, so a score divided by it never exceeds 1.
    """
    dots, power = layout.dots.bit_count(), layout.power.bit_count()
    ghosts = power * len(layout.ghosts) * GHOST_POINTS
    return dots * DOT_POINTS + power * POWER_POINTS + ghosts + WIN_POINTS


# What the player finds on the cell that an action leads to.
NOTHING, PELLET, POWER_PELLET = 0, 1, 2
BLOCKED = 3  # it stays where it is, and what lies there is not eaten
CHASE, FLEE, SCATTER = 0, 1, 2  # what ghosts are after


def enter(lies: int, timer: int, spent: int) -> tuple[int, int, int, int]:
    """The player's half of a step: power runs down, then it eats.

    Args:
        lies: ``NOTHING``, ``PELLET``, ``POWER_PELLET`` or ``BLOCKED``.
        timer: steps of power left.
        spent: mask of ghosts that this power pellet has paid for.

    Returns:
        ``(timer, spent, events, points)``.
    """
    events = points = 0
    if timer:
        timer -= 1
        if not timer:
            spent = 0  # nothing is left to be paid, so states that play alike are equal
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


def rolled(luck: int, factor: int = LUCK_FACTOR, step: int = LUCK_STEP, mask: int = LUCK_MASK) -> int:
    """The next luck. Of n equally good moves it chooses number ``(luck >> LUCK_SHIFT) % n``.

    Compiled code has to say which of its numbers are unsigned, and hands in all of them as 64-bit ones.
    """
    return (luck * factor + step) & mask


# ``enter`` asked about everything, because a look-up is faster than a call: [lies][timer], with a mask of
# what is kept of ``spent``.
_ENTERED = tuple(
    tuple(enter(lies, timer, -1) for timer in range(POWER_STEPS + 1)) for lies in range(BLOCKED + 1)
)


def step(  # noqa: C901 - the rules in the order in which they happen, on the hot path
    board: Board, state: State, action: int
) -> Outcome:
    """Advance by one action, 0 to 3; see the top of this module for the order of things.

    The state must not be one after the end of a game: nothing is left to decide there.
    """
    player, ghosts, pellets, timer, spent, score, phase, luck = state
    target = board.moves[action][player]
    here = 1 << target
    lies = NOTHING
    if target == player:
        lies = BLOCKED
    elif pellets & here:
        pellets ^= here
        lies = POWER_PELLET if board.power & here else PELLET
    timer, kept, events, points = _ENTERED[lies][timer]
    spent &= kept
    resting = 0
    if target in ghosts:
        met = _met(ghosts, target)
        spent, events, points = contact(met, timer, spent, events, points)
        if timer:
            resting, ghosts = met, _home(board, ghosts, met)
    if not pellets:
        events, points = finish(events, points)
    if events < _DIED:  # the highest two bits: the game goes on
        if board.is_plain and not resting:
            chase = board.chase[target]
            ghosts = tuple([chase[ghost] for ghost in ghosts])
        else:
            ghosts, luck = _moved(board, ghosts, resting, target, timer=timer, phase=phase, luck=luck)
        if target in ghosts:
            met = _met(ghosts, target) & ~resting
            if met:
                spent, events, points = contact(met, timer, spent, events, points)
                if timer:
                    ghosts = _home(board, ghosts, met)
        if board.corners:
            phase = (phase + 1) % CYCLE_STEPS
    after = _new(State, (target, ghosts, pellets, timer, spent, score + points, phase, luck))
    return _new(Outcome, (after, events, points))


def _met(ghosts: tuple[int, ...], cell: int) -> int:
    """Mask of the ghosts on a cell."""
    met, bit = 0, 1
    for ghost in ghosts:
        if ghost == cell:
            met |= bit
        bit <<= 1
    return met


def _home(board: Board, ghosts: tuple[int, ...], met: int) -> tuple[int, ...]:
    """Where ghosts are after those of a mask went to their starts."""
    homes = board.homes
    return tuple([homes[index] if met >> index & 1 else ghost for index, ghost in enumerate(ghosts)])


def _moved(
    board: Board,
    ghosts: tuple[int, ...],
    resting: int,
    target: int,
    *,
    timer: int,
    phase: int,
    luck: int,
) -> tuple[tuple[int, ...], int]:
    """Where ghosts go that may do more than chase, and the luck that is left."""
    aimed = aim(timer, phase, bool(board.away), bool(board.corners))
    table = board.away if aimed == FLEE else board.toward
    after = []
    for index, ghost in enumerate(ghosts):
        if resting >> index & 1:
            after.append(ghost)
            continue
        towards = board.corners[index % len(board.corners)] if aimed == SCATTER else target
        options = table[towards][ghost]
        if board.mind.random_ties and len(options) > 1:
            luck = rolled(luck)
            after.append(options[(luck >> LUCK_SHIFT) % len(options)])
        else:
            after.append(options[0])
    return tuple(after), luck
