"""A puzzle as arrays: nodes, the edges between them, and what lies in the rule cells, all by number.

Nodes and rule cells are numbered row by row; edges are numbered in reading order of their positions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maze_gym.envs.sparc.rules.constraints import shape_table
from maze_gym.envs.sparc.rules.puzzle import STEPS, Color, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maze_gym.envs.sparc.rules.puzzle import Position, Puzzle

NONE = -1
EMPTY, SQUARE, STAR, TRIANGLE, POLYOMINO, YLOP = range(6)  # kinds of rule cells
_KINDS = {kind: number for number, kind in enumerate(Kind, start=1)}
_COLORS = {color: number for number, color in enumerate(Color)}


class BoardGraph(NamedTuple):
    """A puzzle as arrays of int64.

    Attributes:
        width: rule cells from left to right.
        beside: (nodes, 4) the node right, above, left and below that a line can go to, or NONE.
        over: (nodes, 4) the edge in that direction, or NONE.
        ends: (edges, 2) its nodes.
        crossable: (edges,) 1 where a line can pass from node to node: no gap, no start, no end.
        last_node: the end, or NONE if it is an edge.
        last_edge: the end, or NONE if it is a node.
        node_dots: nodes with a dot.
        edge_dots: edges with a dot.
        around: (cells, 4) the edges of each rule cell.
        across: (cells, 4) the rule cells behind them, or NONE.
        kind: (cells,) EMPTY to YLOP.
        color: (cells,) number of the symbol's colour.
        triangles: (cells,) how many it holds.
        shape: (cells,) number of the shape, or NONE.
        begins: (shapes + 1,) see ``filling``.
        downs: offsets of shapes.
        rights: offsets of shapes.
    """

    width: int
    beside: NDArray[np.int64]
    over: NDArray[np.int64]
    ends: NDArray[np.int64]
    crossable: NDArray[np.int64]
    last_node: int
    last_edge: int
    node_dots: NDArray[np.int64]
    edge_dots: NDArray[np.int64]
    around: NDArray[np.int64]
    across: NDArray[np.int64]
    kind: NDArray[np.int64]
    color: NDArray[np.int64]
    triangles: NDArray[np.int64]
    shape: NDArray[np.int64]
    begins: NDArray[np.int64]
    downs: NDArray[np.int64]
    rights: NDArray[np.int64]


class Numbering(NamedTuple):
    """Positions of a board by number, and the other way round.

    Attributes:
        nodes: position of each node.
        edges: position of each edge.
        cells: position of each rule cell.
        number: of each position among its kind.
    """

    nodes: tuple[Position, ...]
    edges: tuple[Position, ...]
    cells: tuple[Position, ...]
    number: dict[Position, int]


@lru_cache(maxsize=256)
def numbering(height: int, width: int) -> Numbering:
    """The numbers of a board of a size."""
    everything = [(row, col) for row in range(2 * height + 1) for col in range(2 * width + 1)]
    nodes, edges, cells = (
        tuple(each for each in everything if each[0] % 2 + each[1] % 2 == odd) for odd in (0, 1, 2)
    )
    number = {position: index for kind in (nodes, edges, cells) for index, position in enumerate(kind)}
    return Numbering(nodes, edges, cells, number)


@lru_cache(maxsize=1024)
def net_of(puzzle: Puzzle) -> BoardGraph:
    """The arrays of a puzzle; kept for puzzles used last. They are shared: do not write to them."""
    nodes, edges, cells, number = numbering(puzzle.height, puzzle.width)
    blocked = {*puzzle.gaps, puzzle.start, puzzle.end}
    beside = np.full((len(nodes), 4), NONE, np.int64)
    over = np.full((len(nodes), 4), NONE, np.int64)
    for node, (row, col) in enumerate(nodes):
        for direction, (down, right) in enumerate(STEPS):
            edge, there = (row + down, col + right), (row + 2 * down, col + 2 * right)
            if edge in number:
                over[node, direction] = number[edge]
                beside[node, direction] = NONE if edge in blocked else number[there]
    symbols = {number[position]: symbol for position, symbol in puzzle.symbols}
    kinds = [shape for shape, _ in puzzle.shapes]
    around, across = (
        [
            [number.get((row + far * down, col + far * right), NONE) for down, right in STEPS]
            for row, col in cells
        ]
        for far in (1, 2)
    )
    held = np.zeros((4, len(cells)), np.int64)
    for cell, symbol in symbols.items():
        shape = NONE if symbol.shape is None else kinds.index(symbol.shape)
        held[:, cell] = _KINDS[symbol.kind], _COLORS[symbol.color], symbol.count, shape
    begins, downs, rights = shape_table([of_shape for _, of_shape in puzzle.shapes])
    return BoardGraph(
        puzzle.width,
        beside,
        over,
        _array([[number[each] for each in _ends(edge)] for edge in edges]),
        _array([edge not in blocked for edge in edges]),
        number[puzzle.end] if _is_node(puzzle.end) else NONE,
        NONE if _is_node(puzzle.end) else number[puzzle.end],
        _array([number[dot] for dot in puzzle.dots if _is_node(dot)]),
        _array([number[dot] for dot in puzzle.dots if not _is_node(dot)]),
        _array(around),
        _array(across),
        held[0],
        held[1],
        held[2],
        held[3],
        _array(begins),
        _array(downs),
        _array(rights),
    )


def _is_node(position: Position) -> bool:
    return position[0] % 2 == position[1] % 2 == 0


def _ends(edge: Position) -> tuple[Position, Position]:
    """The two nodes that an edge joins."""
    row, col = edge
    if col % 2:
        return (row, col - 1), (row, col + 1)
    return (row - 1, col), (row + 1, col)


def _array(values: object) -> NDArray[np.int64]:
    return np.array(values, np.int64)
