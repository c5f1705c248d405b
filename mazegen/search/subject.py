"""A maze made ready for the searches of ``proving``: arrays, a start, and a code for every mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mazegen.core import declared
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH, WALL, compile_board

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

    def need(self, name: str, optimum: int) -> Need:
        """Whether a mechanism is needed: without it there is no plan as good as the best, or none at all.

        This is what "needed" and "necessary" mean of a key, switch, door or gate, in reports and in files.
        Without a key or a switch its cell is plain floor, without a door or a gate it is a wall: locked,
        closed or open, what is asked is whether the way has to lead through it. A key that fits no door
        and a switch that moves no gate are never needed.

        Args:
            name: id of the mechanism.
            optimum: fewest actions to success with it.
        """
        code = self.code[name]
        if code == FREE:
            return Need(False, optimum, "no door or gate listens to it")  # noqa: FBT003 - of a record
        found = self.without((name, WALL if code >= DOOR else FREE)).optimum
        return Need(found == UNKNOWN or found > optimum, found, describe_optimum(found))

    def stands_open(self, name: str) -> bool:
        """Whether a mechanism is a door or gate that lets everybody through at the beginning."""
        code = self.code[name]
        if code < DOOR:
            return False
        if code < GATE:
            return bool(self.start.opened >> (code - DOOR) & 1)
        return bool(self.start.on & self.layout.link[code]) != bool(self.layout.trait[code])


class Need(NamedTuple):
    """Whether a mechanism is needed.

    Attributes:
        is_needed: see ``Subject.need``.
        without: fewest actions to success without it, UNKNOWN if there is no way, LIMIT if nobody knows.
        evidence: what says so, for people.
    """

    is_needed: bool
    without: int
    evidence: str


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
