"""What a spec cannot be, by counting: refused before a single layout is tried.

These conditions are necessary and far from sufficient. What passes them may still be impossible, and is found
to be by trying.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mazegen.errors import ImpossibleSpec, TooFewMazes
from mazegen.generation.spec import DenseMaze
from mazegen.generation.spec_options import in_short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mazegen.generation.spec import MazeGenSpec

_TURNS_AND_MOVE = 3  # an about-turn and a step: more is never taken from a cell to the next


def check_possible(spec: MazeGenSpec) -> None:
    """Refuse a spec of which there cannot be a single maze.

    Raises:
        ImpossibleSpec: names what does not fit, and which parameter to change.
    """
    for why in _faults(spec):
        raise ImpossibleSpec(in_short(spec), why)


def check_plenty(spec: MazeGenSpec, count: int) -> None:
    """Refuse to look for more different mazes than a spec can have.

    Raises:
        TooFewMazes: there are not as many.
    """
    most = most_mazes(spec)
    if most < count:
        why = f"counting shows at most {most:,} mazes, turned and coloured ones included"
        raise TooFewMazes(in_short(spec), {why: 0}, 0, count)


def most_mazes(spec: MazeGenSpec) -> int:
    """No more mazes than these belong to a spec; on all but the smallest boards there are far fewer."""
    cells = _inner_cells(spec)
    wrong, steps = spec.distractors, len(spec.steps)
    things = 2 * steps + wrong.wrong_keys + wrong.wrong_switches + wrong.traps + 2 * wrong.decoy_chains
    boards = 1 << cells  # each cell is wall or floor
    if isinstance(spec.params, DenseMaze) and not wrong.dead_end_rooms + wrong.decoy_chains:
        rooms, passages, kept = _dense(spec, spec.params)
        carved = kept - 1 + spec.params.loops
        cells = kept + carved
        boards = math.comb(rooms, kept) * math.comb(passages, carved)
        # On an even side the lattice of rooms can lie in several ways.
        boards *= (1 if spec.rows % 2 else spec.rows) * (1 if spec.cols % 2 else spec.cols)
        cells += 0 if spec.rows % 2 and spec.cols % 2 else passages  # longer passages hold more cells
    return int(boards * cells * (cells - 1) * cells**things)


def _faults(spec: MazeGenSpec) -> Iterator[str]:
    cells, steps, wrong = _inner_cells(spec), len(spec.steps), spec.distractors
    board = f"{spec.rows} x {spec.cols}"
    taken = 2 + 2 * steps + wrong.count + wrong.decoy_chains + wrong.traps
    if taken > cells:
        yield (
            f"start, goal, chain and distractors take {taken} cells, and a board of {board} has {cells} "
            "inside its ring: raise rows or cols, shorten chain, or take distractors away"
        )
    if spec.optimal_actions is not None:
        low, high = spec.optimal_actions
        least, most = 2 * steps + 1, (2 * steps + 1) * _TURNS_AND_MOVE * cells + steps
        if high < least:
            yield (
                f"optimal_actions allows {high} at most, and a chain of {steps} steps takes {least} or more: "
                "raise it or shorten chain"
            )
        if low > most:
            yield (
                f"optimal_actions asks for {low} at least, and no shortest plan on a board of {board} with a "
                f"chain of {steps} steps takes more than {most}: lower it or raise rows or cols"
            )
    if isinstance(spec.params, DenseMaze):
        yield from _faults_of_dense(spec, spec.params)


def _faults_of_dense(spec: MazeGenSpec, params: DenseMaze) -> Iterator[str]:
    rooms, passages, kept = _dense(spec, params)
    if kept < 2:  # noqa: PLR2004 - start and goal
        yield (
            f"a dense_maze of {spec.rows} x {spec.cols} has {rooms} rooms, of which coverage "
            f"{params.coverage:g} and its dead-end rooms and decoys leave {max(kept, 0)}, and it takes 2: "
            "raise rows, cols or coverage, or take distractors away"
        )
    elif params.loops > passages - (kept - 1):
        yield (
            f"a dense_maze of {spec.rows} x {spec.cols} has {passages} places for passages, and "
            f"{kept - 1} are taken by its tree: lower loops from {params.loops} to "
            f"{max(0, passages - (kept - 1))} or less, or raise rows or cols"
        )


def _dense(spec: MazeGenSpec, params: DenseMaze) -> tuple[int, int, int]:
    """Rooms of the lattice, places for passages between them, and how many rooms are carved."""
    height, width = (spec.rows - 1) // 2, (spec.cols - 1) // 2
    reserve = spec.distractors.dead_end_rooms + spec.distractors.decoy_chains
    kept = -(-height * width * round(1000 * params.coverage) // 1000) - reserve
    return height * width, height * (width - 1) + width * (height - 1), kept


def _inner_cells(spec: MazeGenSpec) -> int:
    return (spec.rows - 2) * (spec.cols - 2)
