"""Levels in disguise: does a player who solves a level still solve it turned, mirrored or renamed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.game import Disguise, LevelSet
from maze_gym.registration import resolve, world_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STREAM = 0xD15  # keeps these draws apart from the seeds of episodes, which derive from (seed, index)


def parse_disguises(text: str) -> tuple[Disguise, ...]:
    """The disguises of a comma-separated list, each once, in the order named.

    Raises:
        InvalidArgument: one of them does not exist.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in set(Disguise):
            msg = f"no disguise {name!r}; there are: {', '.join(Disguise)}"
            raise InvalidArgument(msg)
    return tuple(Disguise(name) for name in dict.fromkeys(names))


def with_disguises(env_id: str, levels: LevelSet, kinds: Sequence[Disguise], seed: int = 0) -> LevelSet:
    """The levels as they are, then once more in each disguise; the optimum is the same in all of them.

    A level that a disguise cannot change (no keys to recolour, nothing that has a name) is left out of that
    disguise, so the drop compares pairs only.

    Args:
        env_id: the world, or one of its presets.
        levels: what its ``load_levels`` found.
        kinds: the disguises.
        seed: decides how each level is changed.

    Raises:
        InvalidArgument: the world has no disguises, or the levels are generated, or nothing can be changed.
    """
    if not kinds:
        return levels
    world = world_of(env_id)
    if not world.disguise:
        msg = (
            f"{world.id} has no disguises: nobody has proved that its levels keep their optimum; drop augment"
        )
        raise InvalidArgument(msg)
    if not levels.levels:
        msg = "augment disguises a fixed set of levels; name one instead of generating them"
        raise InvalidArgument(msg)
    change = resolve(world.disguise)
    chosen = list(levels.levels)
    arguments: dict[str, list[object]] = _lists(levels.env_kwargs)
    for number, kind in enumerate(kinds):
        changed = 0
        for index, level in enumerate(levels.levels):
            generator = np.random.default_rng((_STREAM, seed, number, index))
            try:
                found: LevelSet = change(levels._replace(levels=(level,)), kind, [generator])
            except InvalidArgument:
                continue  # nothing in it that this disguise could change
            chosen += found.levels
            changed += 1
            for name, values in _lists(found.env_kwargs).items():
                arguments.setdefault(name, []).extend(values)
        if not changed:
            msg = f"none of the {len(levels.levels)} levels has anything that {kind} could change"
            raise InvalidArgument(msg)
    return levels._replace(levels=tuple(chosen), env_kwargs={**levels.env_kwargs, **arguments})


def _lists(env_kwargs: Mapping[str, object]) -> dict[str, list[object]]:
    """The arguments that list the levels, so that the env can be made large enough for all of them."""
    return {name: list(value) for name, value in env_kwargs.items() if isinstance(value, list | tuple)}
