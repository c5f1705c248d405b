"""A maze made ready for the searches of ``proving``: arrays, a start, and a code for every mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mazegen.core import declared
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH, compile_board

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mazegen.core.maze import Maze
    from mazegen.core.parts import Mechanism
    from mazegen.core.rules import Board
    from mazegen.search.kernels import Layout
    from mazegen.search.proving import Ablation, Start

MAX_STATES = 2_000_000
UNKNOWN, LIMIT = -1, -3  # as in ``proving``, which is imported late because it imports numba


class Subject(NamedTuple):
    """A maze made ready for the searches."""

    maze: Maze
    board: Board
    layout: Layout
    start: Start
    code: Mapping[str, int]  # of each mechanism in the layout; FREE for what nothing listens to
    said: declared.Declaration
    limit: int

    def without(self, *changes: tuple[str, int]) -> Ablation:
        """Search the board with the code of some mechanisms replaced."""
        from mazegen.search import proving

        codes = self.layout.codes.copy()
        for name, new in changes:
            if self.code[name] != FREE:
                codes[self.layout.codes == self.code[name]] = new
        return proving.ablate(self.layout._replace(codes=codes), self.start, self.limit)

    def is_needed(self, name: str, optimum: int) -> tuple[bool, str]:
        """Whether a mechanism is needed, and what says so."""
        if self.code[name] == FREE:
            return False, "no door or gate listens to it"
        found = self.without((name, FREE)).optimum
        if found == LIMIT:
            return False, f"more than {self.limit:,} states without it"
        if self.code[name] < DOOR:
            return found == UNKNOWN, describe_optimum(found)
        return found == UNKNOWN or found < optimum, describe_optimum(found)


def describe_optimum(optimum: int) -> str:
    """What an ablation found, for people."""
    if optimum == LIMIT:
        return "the search was given up"
    return (
        "no way to the goal without it"
        if optimum == UNKNOWN
        else f"without it the goal is {optimum} actions away"
    )


def as_subject(maze: Maze, limit: int) -> Subject:
    """Compile a maze for the searches, without the keys and switches that nothing listens to.

    They change nothing but their own bit of the state, so what can be reached otherwise stays the
    same, while every one of them would double the states.
    """
    from mazegen.search.kernels import Layout
    from mazegen.search.proving import Start, strides_of

    board = compile_board(maze)
    heard = {KEY: 0, SWITCH: 0}
    for door in range(len(maze.doors)):
        heard[KEY] |= board.link[DOOR + door]
    for gate in range(len(maze.gates)):
        heard[SWITCH] |= board.link[GATE + gate]
    new_code = {FREE: FREE}
    live: dict[int, list[int]] = {}
    for base, things in ((KEY, maze.keys), (SWITCH, maze.switches)):
        live[base] = [index for index in range(len(things)) if heard[base] >> index & 1]
        new_code |= {base + index: FREE for index in range(len(things))}
        new_code |= {base + index: base + place for place, index in enumerate(live[base])}
    link, trait = np.array(board.link, np.int64), np.array(board.trait, np.int64)
    for code in range(DOOR, DOOR + len(maze.doors)):
        link[code] = _squeezed(board.link[code], live[KEY])
    for code in range(GATE, GATE + len(maze.gates)):
        link[code] = _squeezed(board.link[code], live[SWITCH])
    for place, index in enumerate(live[SWITCH]):
        trait[SWITCH + place] = board.trait[SWITCH + index]
    codes = np.array([new_code.get(code, code) for code in board.codes], np.uint8)
    layout = Layout(
        codes,
        link,
        trait,
        strides_of(maze.cols),
        True,  # noqa: FBT003 - success on arrival
        len(live[KEY]),
        len(maze.doors),
        len(live[SWITCH]),
    )
    names: dict[str, int] = {}
    everything: tuple[tuple[int, Sequence[Mechanism]], ...] = (
        (KEY, maze.keys), (SWITCH, maze.switches), (DOOR, maze.doors), (GATE, maze.gates),
    )  # fmt: skip
    for base, mechanisms in everything:
        names |= {each.id: new_code.get(base + index, base + index) for index, each in enumerate(mechanisms)}
    first = board.start
    start = Start(first.cell, first.facing, 0, first.opened, _squeezed(first.on, live[SWITCH]))
    return Subject(maze, board, layout, start, names, declared.read(maze), limit)


def _squeezed(mask: int, kept: list[int]) -> int:
    return sum((mask >> index & 1) << place for place, index in enumerate(kept))
