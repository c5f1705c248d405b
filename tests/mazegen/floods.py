"""Independent measuring of mazes for the tests of generation: floods over cells, nothing of mazegen's.

``reach_goal`` is a second search with a second idea of the rules: it collects whatever can be
reached and never loses anything (keys are kept, switches stay on, a gate that was open stays open).
It reaches at least what the real rules reach, so "not even so" proves that something is needed.

It is compiled, because it is asked a million times; when it is first called and for this process alone, so
that collecting the tests compiles nothing and nothing is left on disk.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from mazegen.core.maze import Maze

F = TypeVar("F", bound="Callable[..., object]")
Cell = tuple[int, int]
BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))
WALL, FLOOR = -2, -1  # of ``Ground.cells``, where mechanisms count from 0
KEY, DOOR, SWITCH, GATE = range(4)


def floor(maze: Maze) -> set[Cell]:
    """Cells without a wall."""
    return {
        (row, col)
        for row in range(maze.rows)
        for col in range(maze.cols)
        if not maze.walls[row * maze.cols + col]
    }


def neighbours(cell: Cell, cells: Iterable[Cell]) -> list[Cell]:
    """Neighbours of a cell among ``cells``."""
    return [near for down, right in BESIDE if (near := (cell[0] + down, cell[1] + right)) in cells]


def dead_ends(maze: Maze) -> int:
    """Floor cells with one way out, start and goal not counted."""
    cells = floor(maze)
    return sum(len(neighbours(cell, cells)) == 1 for cell in cells - {maze.start, maze.goal})


def cycles(maze: Maze) -> int:
    """Independent cycles of a connected floor: edges - cells + 1."""
    cells = floor(maze)
    return sum(len(neighbours(cell, cells)) for cell in cells) // 2 - len(cells) + 1


def walk(maze: Maze) -> list[Cell]:
    """A shortest walk from start to goal as if every door and gate were open."""
    cells = floor(maze)
    origin: dict[Cell, Cell] = {maze.start: maze.start}
    queue: list[Cell] = [maze.start]
    for cell in queue:
        for near in neighbours(cell, cells):
            if near not in origin:
                origin[near] = cell
                queue.append(near)
    path: list[Cell] = [maze.goal]
    while path[-1] != maze.start:
        path.append(origin[path[-1]])
    return path[::-1]


def turns(path: list[Cell]) -> int:
    """How often a walk changes direction."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path)]
    return sum(first != second for first, second in itertools.pairwise(steps))


def compiled(function: F) -> F:
    """Compile a function when it is first called; typed, because numba's decorator is not."""
    return cast("F", njit(function))


class Ground(NamedTuple):
    """A maze in numbers; mechanisms are counted, whatever their kind."""

    cells: NDArray[np.int64]  # (rows * cols,) WALL, FLOOR or the mechanism that is there
    cols: int
    start: int
    goal: int
    kinds: NDArray[np.int64]  # (mechanisms,)
    colors: NDArray[np.int64]  # (mechanisms,) the first key or door of the same colour
    controls: NDArray[np.bool_]  # (mechanisms, mechanisms) whether a switch controls a gate
    is_open: NDArray[np.bool_]  # (mechanisms,) whether a door or gate is open from the beginning


class Without(NamedTuple):
    """A question: what if this were different?

    Attributes:
        gone: ids of mechanisms that are taken away: a key or a switch is gone, a door or a gate open.
        walled: ids of doors and gates that stay shut whatever happens.
    """

    gone: Iterable[str] = ()
    walled: Iterable[str] = ()


def in_numbers(maze: Maze) -> tuple[Ground, dict[str, int]]:
    """The ground of a maze, and the number of each mechanism."""
    standing = maze.mechanisms
    number = {each.id: index for index, each in enumerate(standing)}
    cells = np.where(np.frombuffer(maze.walls, np.uint8), WALL, FLOOR)
    controls = np.zeros((len(standing), len(standing)), np.bool_)
    by_color: dict[str, int] = {}
    painted = [key.color for key in maze.keys] + [door.color for door in maze.doors]
    colors = [by_color.setdefault(color, len(by_color)) for color in painted]
    for index, each in enumerate(standing):
        cells[each.position.row * maze.cols + each.position.col] = index
    for switch in maze.switches:
        controls[number[switch.id], [number[gate] for gate in switch.controls]] = True
    counts = (len(maze.keys), len(maze.doors), len(maze.switches), len(maze.gates))
    ground = Ground(
        cells,
        maze.cols,
        maze.start.row * maze.cols + maze.start.col,
        maze.goal.row * maze.cols + maze.goal.col,
        np.array([kind for kind, count in enumerate(counts) for _ in range(count)], np.int64),
        np.array(colors + [0] * (len(standing) - len(colors)), np.int64),
        controls,
        np.array([getattr(each, "initially_open", False) for each in standing], np.bool_),
    )
    return ground, number


def _marks(number: dict[str, int], asked: Sequence[Without]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(questions, mechanisms) which are gone, and which stay shut."""
    gone = np.zeros((len(asked), len(number)), np.bool_)
    shut = np.zeros((len(asked), len(number)), np.bool_)
    for index, each in enumerate(asked):
        for name in each.gone:
            gone[index, number[name]] = True
        for name in each.walled:
            shut[index, number[name]] = True
    return gone, shut


@compiled
def _spread(
    ground: Ground, gone: NDArray[np.bool_], shut: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Cells that are reached, and mechanisms that were collected, switched, opened or crossed."""
    reached, used = np.zeros(len(ground.cells), np.bool_), np.zeros(len(ground.kinds), np.bool_)
    held, is_open = np.zeros(len(ground.kinds), np.bool_), ground.is_open.copy()
    queue = np.empty(len(ground.cells), np.int64)
    queue[0], waiting, grew = ground.start, 1, True
    reached[ground.start] = True
    while grew:
        grew, index = False, 0
        while index < waiting:
            cell = queue[index]
            index += 1
            thing = ground.cells[cell]
            if thing >= 0 and ground.kinds[thing] == KEY and not gone[thing]:
                held[ground.colors[thing]] = used[thing] = True
            if cell == ground.goal:
                continue  # the episode is over here
            for near in (cell - ground.cols, cell + 1, cell + ground.cols, cell - 1):
                thing = ground.cells[near]
                if thing == WALL:
                    continue
                kind = -1 if thing == FLOOR or gone[thing] else ground.kinds[thing]
                if kind == SWITCH and not used[thing]:
                    used[thing] = grew = True
                    is_open |= ground.controls[thing]
                is_barrier = kind in (DOOR, GATE)
                fits = kind == DOOR and held[ground.colors[thing]]
                if reached[near] or (is_barrier and (shut[thing] or not (is_open[thing] or fits))):
                    continue
                if is_barrier:
                    used[thing] = True
                reached[near] = grew = True
                queue[waiting] = near
                waiting += 1
    return reached, used


@compiled
def _verdicts(ground: Ground, gone: NDArray[np.bool_], shut: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(questions,) whether the goal is reached."""
    verdicts = np.zeros(len(gone), np.bool_)
    for index in range(len(gone)):
        verdicts[index] = _spread(ground, gone[index], shut[index])[0][ground.goal]
    return verdicts


def flood(maze: Maze, walled: Iterable[str] = ()) -> tuple[set[Cell], set[str]]:
    """Cells that can be reached, and ids of what was collected, switched, opened or crossed."""
    ground, number = in_numbers(maze)
    gone, shut = _marks(number, [Without(walled=walled)])
    reached, used = _spread(ground, gone[0], shut[0])
    cells = {divmod(cell, maze.cols) for cell in np.flatnonzero(reached).tolist()}
    return cells, {name for name, index in number.items() if used[index]}


def reach_goal(maze: Maze, asked: Sequence[Without]) -> list[bool]:
    """Whether the goal can be reached, for each question; the module says in which direction it errs."""
    ground, number = in_numbers(maze)
    verdicts: list[bool] = _verdicts(ground, *_marks(number, asked)).tolist()
    return verdicts


def reaches_goal(maze: Maze, walled: Iterable[str] = ()) -> bool:
    """The answer to one question."""
    return reach_goal(maze, [Without(walled=walled)])[0]
