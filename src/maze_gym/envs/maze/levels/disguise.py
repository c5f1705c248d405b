"""Mazes in disguise: the same puzzle turned, mirrored, in other colours or under other names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.game import Disguise, Level
from mazegen.core import symmetry
from mazegen.core.maze import KEY_COLORS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from maze_gym.game import LevelSet
    from mazegen.core.maze import Maze, Validation

_NAME_LETTERS = "BCFHJLMNPQTVWXZ"  # none that the bundled levels use for keys (k), doors (D) or switches (s)
_PARTS_WITH_NAMES = ("dependency_chain", "distractors")  # of the metadata; see ``mazegen.core.declared``


def disguise(levels: LevelSet, kind: Disguise, generators: Sequence[np.random.Generator]) -> LevelSet:
    """The levels in disguise, in their order, none of them as it was.

    Args:
        levels: what ``load_levels`` found.
        kind: what is changed.
        generators: one for each level, that decide how.

    Raises:
        InvalidArgument: a level has nothing that this disguise could change.
    """
    mazes = [
        _disguised(level.options["maze"], kind, generator)
        for level, generator in zip(levels.levels, generators, strict=True)
    ]
    chosen = tuple(Level(maze.level_id, maze.content_hash, {"maze": maze}) for maze in mazes)
    return levels._replace(levels=chosen, env_kwargs={"mazes": mazes})


def _disguised(maze: Maze, kind: Disguise, generator: np.random.Generator) -> Maze:
    if kind == Disguise.ROTATE:
        changed = symmetry.rotate(maze, int(generator.integers(1, 4)))
    elif kind == Disguise.MIRROR:
        changed = symmetry.mirror(maze)
    elif kind == Disguise.RECOLOUR:
        changed = _recoloured(maze, generator)
    else:
        changed = _renamed(maze, generator)
    return replace(changed, level_id=kind.name_of(maze.level_id))


def _recoloured(maze: Maze, generator: np.random.Generator) -> Maze:
    """Every colour of a key or door becomes another one."""
    if not maze.keys and not maze.doors:
        msg = (
            f"{maze.level_id} has neither keys nor doors, so no other colours disguise it; leave recolour out"
        )
        raise InvalidArgument(msg)
    order = [int(number) for number in generator.permutation(len(KEY_COLORS))]
    # Each goes to the next of a random ring, so that none stays what it was.
    ring = {KEY_COLORS[one]: KEY_COLORS[two] for one, two in zip(order, order[1:] + order[:1], strict=True)}
    return symmetry.recolour(maze, ring)


def _renamed(maze: Maze, generator: np.random.Generator) -> Maze:
    """Every key, door, switch and gate gets another name, also where the metadata speaks of it."""
    mechanisms = maze.mechanisms
    if not mechanisms:
        msg = f"{maze.level_id} has nothing that has a name, so no other names disguise it; leave rename out"
        raise InvalidArgument(msg)
    taken = {each.id for each in mechanisms}
    free = [
        f"{letter}{number}"
        for letter in _NAME_LETTERS
        for number in range(10, 100)
        if f"{letter}{number}" not in taken
    ]
    drawn = generator.choice(len(free), size=len(mechanisms), replace=False)
    names = {each.id: free[int(number)] for each, number in zip(mechanisms, drawn, strict=True)}
    hidden = tuple(names.get(name, name) for name in maze.rules.hidden_mechanisms)
    return replace(
        maze,
        keys=tuple(replace(key, id=names[key.id]) for key in maze.keys),
        doors=tuple(replace(door, id=names[door.id]) for door in maze.doors),
        switches=tuple(
            replace(each, id=names[each.id], controls=tuple(names[gate] for gate in each.controls))
            for each in maze.switches
        ),
        gates=tuple(replace(gate, id=names[gate.id]) for gate in maze.gates),
        rules=replace(maze.rules, hidden_mechanisms=hidden),
        validation=None if maze.validation is None else _proof(maze.validation, names),
        metadata_json=_metadata(maze, names),
    )


def _metadata(maze: Maze, names: Mapping[str, str]) -> str:
    metadata = maze.metadata
    for part in _PARTS_WITH_NAMES:
        if part in metadata:
            metadata[part] = _with_names(metadata[part], names)
    return json.dumps(metadata, sort_keys=True)


def _with_names(value: object, names: Mapping[str, str]) -> object:
    """JSON in which each word that is a name is the new one."""
    if isinstance(value, dict):
        return {key: _with_names(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_names(each, names) for each in value]
    return " ".join(names.get(word, word) for word in value.split(" ")) if isinstance(value, str) else value


def _proof(validation: Validation, names: Mapping[str, str]) -> Validation:
    """The proof under the new names."""
    interactions = []
    for interaction in validation.interactions:
        verb, _, name = interaction.partition(":")
        interactions.append(f"{verb}:{names.get(name, name)}")
    necessity = tuple((names.get(name, name), needed) for name, needed in validation.necessity)
    return replace(validation, interactions=tuple(interactions), necessity=necessity)
