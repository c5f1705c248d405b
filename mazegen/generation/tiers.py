"""Difficulty tiers, and specs drawn from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mazegen.generation.spec import (
    NO_CHAIN,
    DenseMaze,
    Distractors,
    MazeGenSpec,
    MultiRoute,
    Params,
    SequentialChain,
    SideVault,
    Topology,
    WindingCorridor,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


@dataclass(frozen=True, slots=True)
class Tier:
    """Ranges of one tier, both ends included.

    Attributes:
        sides: height and width in cells, ring included.
        steps: steps of the logic chain.
        distractors: number of distractors of all kinds.
        optimal_actions: length of a shortest plan.
    """

    sides: tuple[int, int]
    steps: tuple[int, int]
    distractors: tuple[int, int]
    optimal_actions: tuple[int, int]


TIERS = {
    1: Tier(sides=(7, 10), steps=(0, 0), distractors=(0, 1), optimal_actions=(5, 40)),
    2: Tier(sides=(11, 13), steps=(1, 1), distractors=(0, 1), optimal_actions=(10, 80)),
    3: Tier(sides=(13, 16), steps=(2, 2), distractors=(0, 2), optimal_actions=(20, 130)),
    4: Tier(sides=(16, 20), steps=(3, 3), distractors=(1, 3), optimal_actions=(30, 220)),
    5: Tier(sides=(20, 25), steps=(4, 5), distractors=(2, 4), optimal_actions=(50, 400)),
}
MAX_DECOYS = 2  # each multiplies the states of the proof by three


def sample_spec(
    rng: np.random.Generator, tier: int | None = None, *, topology: Topology | str | None = None
) -> MazeGenSpec:
    """Draw a spec from the ranges of a tier, each topology and each kind of distractor equally likely.

    Args:
        rng: where the randomness comes from.
        tier: 1 to 5; drawn as well when None.
        topology: one of the five; drawn as well when None.

    Raises:
        ValueError: there is no such tier or topology.

    >>> import numpy as np
    >>> from mazegen import sample_spec
    >>> sample_spec(np.random.default_rng(0), 2).tier
    2
    """
    if tier is None:
        tier = 1 + _below(rng, len(TIERS))
    if tier not in TIERS:
        msg = f"tier must be one of {', '.join(map(str, TIERS))}, got {tier!r}"
        raise ValueError(msg)
    ranges = TIERS[tier]
    backbone = Topology(topology) if topology is not None else list(Topology)[_below(rng, len(Topology))]
    rows, cols = _between(rng, ranges.sides), _between(rng, ranges.sides)
    steps = "".join("ks"[_below(rng, 2)] for _ in range(_between(rng, ranges.steps)))
    counts = [0] * len(Distractors.COUNTS)  # in the order of the fields of ``Distractors``
    for _ in range(_between(rng, ranges.distractors)):
        kind = _below(rng, len(counts))
        if Distractors.COUNTS[kind] == "decoy_chains" and counts[kind] == MAX_DECOYS:
            kind = 0
        counts[kind] += 1
    return MazeGenSpec(
        topology=backbone,
        chain=steps or NO_CHAIN,
        rows=rows,
        cols=cols,
        distractors=Distractors(counts[0], counts[1], counts[2], counts[3]),
        params=_sample_params(rng, backbone, (rows, cols), len(steps)),
        optimal_actions=ranges.optimal_actions,
        tier=tier,
    )


def _sample_params(rng: np.random.Generator, topology: Topology, sides: Sequence[int], steps: int) -> Params:
    """Parameters that fit the board: how many lanes, rooms and turns there is space for."""
    lanes = (min(sides) - 1) // 2
    if topology is Topology.WINDING_CORRIDOR:
        rooms = (sides[0] - 1) // 2 * ((sides[1] - 1) // 2)
        turns = _between(rng, (lanes - 1, 2 + rooms // 6))
        return WindingCorridor(turns, max_straight=_between(rng, (2, 4)), spur_length=2 * _below(rng, 2))
    if topology is Topology.MULTI_ROUTE:
        return MultiRoute(routes=_between(rng, (2, max(2, lanes // 2))), wander=_share(rng, 5, 10))
    if topology is Topology.SIDE_VAULT:
        return SideVault(vault_depth=_between(rng, (2, 2 + lanes // 2)))
    if topology is Topology.SEQUENTIAL_CHAIN:
        rooms = _between(rng, (max(2, steps + 1), max(2, steps + 1, (max(sides) - 1) // 4)))
        return SequentialChain(rooms, room_size=_between(rng, (2, max(3, min(sides) // 4))))
    loops = _below(rng, 2) * _below(rng, lanes)
    return DenseMaze(loops, coverage=_share(rng, 7, 10), branching=_share(rng, 0, 5))


def _below(rng: np.random.Generator, bound: int) -> int:
    return int(rng.integers(bound))


def _between(rng: np.random.Generator, ends: tuple[int, int]) -> int:
    return int(rng.integers(ends[0], ends[1] + 1))


def _share(rng: np.random.Generator, low: int, high: int) -> float:
    return _between(rng, (low, high)) / 10
