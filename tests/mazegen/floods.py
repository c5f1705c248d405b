"""Independent measuring of mazes for the tests of generation: floods over cells, nothing of mazegen's.

``reaches_goal`` is a second search with a second idea of the rules: it collects whatever can be
reached and never loses anything (keys are kept, switches stay on, a gate that was open stays open).
It reaches at least what the real rules reach, so "not even so" proves that something is needed.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mazegen.maze import Door, Gate, Maze

Cell = tuple[int, int]
BESIDE = ((-1, 0), (0, 1), (1, 0), (0, -1))


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


def flood(maze: Maze, without: Iterable[str] = (), walled: Iterable[str] = ()) -> tuple[set[Cell], set[str]]:
    """Cells that can be reached, and ids of what was collected, switched, opened or crossed.

    Args:
        maze: the board.
        without: ids of mechanisms that are taken away: a key or a switch is gone, a door or a gate open.
        walled: ids of doors and gates that stay shut whatever happens.
    """
    gone, shut = set(without), set(walled)
    cells = floor(maze)
    standing: tuple[Door | Gate, ...] = (*maze.doors, *maze.gates)
    blockers: dict[Cell, Door | Gate] = {each.position: each for each in standing if each.id not in gone}
    keys = {key.position: key for key in maze.keys if key.id not in gone}
    switches = [switch for switch in maze.switches if switch.id not in gone]
    reached: set[Cell] = set()
    used: set[str] = set()
    colors: set[str] = set()
    opened: set[str] = {gate.id for gate in maze.gates if gate.initially_open}
    grew = True
    while grew:
        grew = False
        queue: list[Cell] = [maze.start] if not reached else list(reached)
        reached.update(queue)
        for cell in queue:
            if cell in keys:
                colors.add(keys[cell].color)
                used.add(keys[cell].id)
            if cell == maze.goal:
                continue  # the episode is over here
            for near in neighbours(cell, cells):
                for switch in switches:
                    if switch.position == near and switch.id not in used:
                        used.add(switch.id)
                        opened.update(switch.controls)
                        grew = True
                blocker = blockers.get(near)
                if near in reached or (
                    blocker is not None and not _is_passable(blocker, shut, colors, opened)
                ):
                    continue
                if blocker is not None:
                    used.add(blocker.id)
                reached.add(near)
                queue.append(near)
                grew = True
    return reached, used


def _is_passable(blocker: Door | Gate, shut: set[str], colors: set[str], opened: set[str]) -> bool:
    if blocker.id in shut:
        return False
    return blocker.id in opened or blocker.color in colors


def reaches_goal(maze: Maze, without: Iterable[str] = (), walled: Iterable[str] = ()) -> bool:
    """Whether the goal can be reached; see the module docstring for the direction of its errors."""
    return maze.goal in flood(maze, without, walled)[0]
