"""What a maze says about its own mechanisms: the steps of its chain, and what is only a distractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mazegen.core.maze import Maze


class Declaration(NamedTuple):
    """The part of the metadata that the validator holds a maze to.

    Attributes:
        steps: (id of the key or switch, id of the door or gate) of each step of the chain, in order.
        distractors: ids of the mechanisms that are declared to be distractors, in the maze's order.
        has_rooms: whether dead-end rooms are declared.
        traps: whether the maze is meant to have states without a way to the goal.
        decoys: how many mechanisms and rooms are declared to be distractors.
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
    steps = tuple(
        (each["element"], each["unlocks"])
        for each in _written_chain(maze)[1]
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


def notation(steps: Iterable[tuple[object, object]]) -> str:
    """A chain in one line: what opens and what is opened, step by step, and the goal."""
    return "".join(f"{opener} -> {blocker} -> " for opener, blocker in steps) + "G"


def faults_of_chain(maze: Maze) -> Iterator[str]:
    """What a maze's metadata says of its chain beside the steps, and is not so by the steps."""
    chain, steps = _written_chain(maze)
    told = {name: chain[name] for name in ("depth", "notation") if name in chain}
    true = {
        "depth": len(steps),
        "notation": notation((each.get("element"), each.get("unlocks")) for each in steps),
    }
    for name, value in told.items():
        if value != true[name]:
            yield f"it says {name} {value!r}, its sequence makes that {true[name]!r}"


def letters_of_chain(maze: Maze) -> str:
    """The chain that a maze's metadata says, in the letters of a spec; ``?`` for what is neither."""
    letters = {key.id: "k" for key in maze.keys} | {switch.id: "s" for switch in maze.switches}
    _, steps = _written_chain(maze)
    by_type = {"key-door": "k", "switch-gate": "s"}  # counts where the thing itself is not on the board
    return "".join(
        letters.get(str(each.get("element"))) or by_type.get(str(each.get("type")), "?") for each in steps
    )


def _written_chain(maze: Maze) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The chain of the metadata, and the steps in it; both are empty where there is none."""
    chain = maze.metadata.get("dependency_chain")
    if not isinstance(chain, dict):
        return {}, []
    return chain, list(_records(chain.get("sequence")))


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
