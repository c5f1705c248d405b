"""Whether each step of a chain is needed and in its place, by searches of the board with one thing changed.

What the generator asks of a step is more than that its things are needed (``Subject.need``): without
its key or switch there is no way to the goal at all, its own door or gate is not passed and nothing of a
later step is touched; and its door or gate is in the way, so that without it the optimum would be shorter.
Importing this module imports numba.
"""

# ruff: noqa: PLR0917
# mypy: disable-error-code="arg-type, assignment, no-any-return"

from __future__ import annotations

from typing import NamedTuple

from mazegen.core.compiling import inner
from mazegen.core.rules import DOOR, FREE, GATE, WALL
from mazegen.search.kernels import UNKNOWN, Layout
from mazegen.search.proving import LIMIT, Ablation, Start, ablate, ablate_at_once

FAULT_LIMIT, FAULT_OPENER, FAULT_BYPASS, FAULT_ORDER, FAULT_BLOCKER = 1, 2, 3, 4, 5


class Later(NamedTuple):
    """Masks of what belongs to the steps of a chain after a given one."""

    taken: int
    opened: int
    on: int
    crossed: int


def changed(layout: Layout, old: int, new: int) -> Layout:
    """The same board with another thing in the place of one thing."""
    codes = layout.codes.copy()
    codes[codes == old] = new
    return layout._replace(codes=codes)


@inner
def _with_code(layout: Layout, old: int, new: int) -> Layout:
    """``changed``, compiled."""
    codes = layout.codes.copy()
    for cell in range(codes.shape[0]):
        if codes[cell] == old:
            codes[cell] = new
    return Layout(
        codes, layout.link, layout.trait, layout.strides, layout.arrival, layout.keys, layout.doors,
        layout.switches,
    )  # fmt: skip


def fault_of_opener(without: Ablation, blocker: int, later: Later) -> int:
    """0 if the search without a step's key or switch proves it, or the ``FAULT_...`` that says why not."""
    if without.optimum == LIMIT:
        return FAULT_LIMIT
    if without.optimum != UNKNOWN:
        return FAULT_OPENER
    passed = without.opened >> (blocker - DOOR) if blocker < GATE else without.crossed >> (blocker - GATE)
    if passed & 1:
        return FAULT_BYPASS
    early = without.taken & later.taken | without.opened & later.opened | without.on & later.on
    if early or without.crossed & later.crossed:
        return FAULT_ORDER
    return 0


def fault_of_blocker(freed: int, optimum: int) -> int:
    """The same by the optimum without the step's door or gate: it must be in the way."""
    if freed == LIMIT:
        return FAULT_LIMIT
    return 0 if freed < optimum else FAULT_BLOCKER


def fault_of_wall(walled: int) -> int:
    """The same by the optimum with the step's door walled up, where its key may open others instead."""
    if walled == LIMIT:
        return FAULT_LIMIT
    return 0 if walled == UNKNOWN else FAULT_BYPASS


_fault_of_opener, _fault_of_blocker = inner(fault_of_opener), inner(fault_of_blocker)
_fault_of_wall = inner(fault_of_wall)


@inner
def proves_step(
    layout: Layout, start: Start, optimum: int, limit: int, opener: int, blocker: int, later: Later
) -> int:
    """Whether one step of a chain is needed and in its place: 0, or the ``FAULT_...`` that says why not.

    Args:
        layout: the board.
        start: where the episode begins.
        optimum: fewest actions on the board as it is.
        limit: the most states a search may hold.
        opener: code of the key or the switch.
        blocker: code of the door or the gate.
        later: what belongs to later steps; none of it may be touched while this one is undone.
    """
    fault = _fault_of_opener(ablate_at_once(_with_code(layout, opener, FREE), start, limit), blocker, later)
    if fault == 0 and layout.trait[blocker] != 0:  # else what opens this opens nothing else
        fault = _fault_of_wall(ablate_at_once(_with_code(layout, blocker, WALL), start, limit).optimum)
    if fault > 0:
        return fault
    return _fault_of_blocker(ablate_at_once(_with_code(layout, blocker, FREE), start, limit).optimum, optimum)


def proves_large_step(
    layout: Layout, start: Start, optimum: int, limit: int, opener: int, blocker: int, later: Later
) -> int:
    """``proves_step`` by searches in slices."""
    fault = fault_of_opener(ablate(changed(layout, opener, FREE), start, limit), blocker, later)
    if fault == 0 and layout.trait[blocker] != 0:
        fault = fault_of_wall(ablate(changed(layout, blocker, WALL), start, limit).optimum)
    return fault or fault_of_blocker(ablate(changed(layout, blocker, FREE), start, limit).optimum, optimum)
