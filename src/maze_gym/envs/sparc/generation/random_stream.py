"""Random numbers for the generator: a stream from integers, drawn in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

_BLOCK = 256
_BITS = 32


class RandomStream:
    """A stream of random numbers that depends on the given integers and nothing else.

    Args:
        words: integers from 0 on; neighbouring ones give unrelated streams.
    """

    def __init__(self, *words: int) -> None:
        """Nothing is drawn yet."""
        self._bits = np.random.default_rng(words).bit_generator
        self._words: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``; the bias is below ``bound / 2**32``."""
        if not self._words:
            # Raw words: NumPy promises that these, unlike draws from ranges, never change between versions.
            self._words = self._bits.random_raw(_BLOCK).tolist()
        return ((self._words.pop() >> _BITS) * bound) >> _BITS

    def between(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``."""
        return least + self.below(most - least + 1)

    def share(self) -> float:
        """A number from 0 on and below 1."""
        return self.below(1 << _BITS) / (1 << _BITS)

    def chance(self, probability: float) -> bool:
        """True so often."""
        return self.share() < probability

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """One of the items, as likely as its weight."""
        ticket = self.below(sum(weights))
        for item, weight in zip(items, weights, strict=True):
            ticket -= weight
            if ticket < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
