"""What a maze says about its own mechanisms: the steps of its chain, and what is only a distractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mazegen.maze import Maze


class Declaration(NamedTuple):
    """The part of the metadata that the validator holds a maze to.

    Attributes:
        steps: (id of the key or switch, id of the door or gate) of each step of the chain, in order.
        distractors: ids of the mechanisms that are declared not to be needed, in the maze's order.
        has_rooms: whether dead-end rooms are declared.
        traps: whether the maze is meant to have states without a way to the goal.
        decoys: how many mechanisms and rooms are declared not to be needed.
    """

    steps: tuple[tuple[str, str], ...] = ()
    distractors: tuple[str, ...] = ()
    has_rooms: bool = False
    traps: bool = False
    decoys: int = 0

    @property
    def chained(self) -> frozenset[str]:
        """Ids of everything in the chain."""
        return frozenset(name for step in self.steps for name in step)


def read(maze: Maze) -> Declaration:
    """Read a maze's metadata; what is missing, malformed or unknown declares nothing."""
    metadata = maze.metadata
    known = [each.id for each in maze.mechanisms]
    chain = metadata.get("dependency_chain")
    steps = tuple(
        (each["element"], each["unlocks"])
        for each in _records(chain.get("sequence") if isinstance(chain, dict) else None)
        if each.get("element") in known and each.get("unlocks") in known
    )
    records = list(_records(metadata.get("distractors")))
    named = set(_named(records))
    decoy = metadata.get("distractor_chain")  # of the first generation of files, by colour
    if isinstance(decoy, dict):
        named |= {key.id for key in maze.keys if key.color == decoy.get("color")}
        named |= {door.id for door in maze.doors if door.color == decoy.get("color")}
    spec = metadata.get("spec")
    wrong = spec.get("distractors") if isinstance(spec, dict) else None
    chained = {name for step in steps for name in step}
    return Declaration(
        steps,
        tuple(name for name in known if name in named and name not in chained),
        has_rooms=any(each.get("type") == "dead_end_room" for each in records),
        traps=metadata.get("traps") is True or (isinstance(wrong, dict) and wrong.get("traps") is True),
        decoys=len(records),
    )


def _records(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _named(records: list[Mapping[str, Any]]) -> Iterator[str]:
    """Ids that distractor records mean; ``branch_G`` is kG and DG together (hand-made files)."""
    for record in records:
        name = record.get("element_id")
        if isinstance(name, str):
            yield name
            letter = name.removeprefix("branch_")
            if letter != name:
                yield from (f"k{letter}", f"D{letter}")
