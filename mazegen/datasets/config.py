"""What decides every byte of a data set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mazegen.core.maze import MAX_SEED
from mazegen.generation.spec import MazeGenSpec
from mazegen.generation.tiers import TIERS

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = 2
SPLITS = ("train", "validation", "test")
_HASH_DIGITS = 8  # of the hexadecimal hash, as a fraction: enough to split by


@dataclass(frozen=True, slots=True)
class DatasetConfig:
    """What decides every byte of a data set; see ``generate_dataset`` for the fields.

    Raises:
        ValueError: a field is out of range.
    """

    count: int
    seed: int = 0
    spec: MazeGenSpec | None = None
    tier: int | None = None
    as_files: bool = False
    shard_size: int = 10_000
    splits: tuple[float, float, float] = (0.8, 0.1, 0.1)

    def __post_init__(self) -> None:
        """Check the ranges."""
        if self.spec is not None and self.tier is not None:
            msg = "give a spec or a tier, not both"
            raise ValueError(msg)
        if self.tier is not None and self.tier not in TIERS:
            msg = f"tier must be one of {', '.join(map(str, TIERS))}, got {self.tier!r}"
            raise ValueError(msg)
        for name, value, low in (
            ("count", self.count, 1),
            ("shard_size", self.shard_size, 1),
            ("seed", self.seed, 0),
        ):
            if not low <= value <= MAX_SEED:
                msg = f"{name} must be at least {low}, got {value}"
                raise ValueError(msg)
        shares = self.splits
        if len(shares) != len(SPLITS) or min(shares) < 0 or not math.isclose(sum(shares), 1):
            msg = f"splits must be three shares (train, validation, test) that add up to 1, got {shares}"
            raise ValueError(msg)

    def split_of(self, layout: str) -> str:
        """The split of a maze, by its ``symmetry.layout_hash``: of the puzzle, not of its walls alone."""
        place = int(layout[:_HASH_DIGITS], 16) / 16**_HASH_DIGITS
        for name, share in zip(SPLITS, self.splits, strict=True):
            if place < share:
                return name
            place -= share
        return max(zip(self.splits, SPLITS, strict=True))[1]  # rounding: the last hair of the range

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "format": FORMAT,
            "count": self.count,
            "seed": self.seed,
            "spec": None if self.spec is None else self.spec.to_dict(),
            "tier": self.tier,
            "as_files": self.as_files,
            "shard_size": self.shard_size,
            "splits": dict(zip(SPLITS, self.splits, strict=True)),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DatasetConfig:
        """Read what ``to_dict`` wrote.

        Raises:
            ValueError: it is of another format, or a field is missing or breaks a rule.
        """
        try:
            if values["format"] != FORMAT:
                msg = f"format must be {FORMAT}, got {values['format']!r}; use the version that wrote it"
                raise ValueError(msg)
            spec = values["spec"]
            return cls(
                values["count"],
                values["seed"],
                None if spec is None else MazeGenSpec.from_dict(spec),
                values["tier"],
                values["as_files"],
                values["shard_size"],
                tuple(values["splits"][name] for name in SPLITS),
            )
        except KeyError as error:
            msg = f"it lacks {error}"
            raise ValueError(msg) from error
        except TypeError as error:  # a list or a word where a number belongs
            msg = f"it holds a value of another kind: {error}"
            raise ValueError(msg) from error
