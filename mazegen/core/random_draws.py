"""Random numbers for compiled code, drawn from a stream of ``mazegen.core.randomness``.

Importing this module imports numba.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mazegen.core.compiling import inner

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 0xFFFFFFFF  # 32 bits


@inner
def draw(rng: NDArray[np.int64]) -> int:
    """The next 32 bits of a stream; ``rng`` (4,) moves on.

    This is sfc32 by C. Doty-Humphrey (PractRand): additions, shifts and exclusive-ors of 32-bit
    words, so plain Python, which has no overflow, gives the same numbers as compiled code.
    """
    a, b, c, count = int(rng[0]), int(rng[1]), int(rng[2]), int(rng[3])
    result = (a + b + count) & _WORD
    rng[0] = b ^ (b >> 9)
    rng[1] = (c + (c << 3)) & _WORD
    rng[2] = ((((c << 21) | (c >> 11)) & _WORD) + result) & _WORD
    rng[3] = (count + 1) & _WORD
    return result


@inner
def below(rng: NDArray[np.int64], bound: int) -> int:
    """A number from 0 to ``bound - 1``; the bias is below ``bound / 2**32``."""
    return (draw(rng) * int(bound)) >> 32


@inner
def shuffle(rng: NDArray[np.int64], items: NDArray[np.int64], size: int) -> None:
    """Put the first ``size`` items in random order (Fisher and Yates)."""
    for last in range(size - 1, 0, -1):
        other = below(rng, last + 1)
        items[last], items[other] = items[other], items[last]


@inner
def combination(rng: NDArray[np.int64], count: int, size: int) -> NDArray[np.int64]:
    """``count`` different numbers below ``size``, ascending, every choice equally likely."""
    chosen = np.empty(count, np.int64)
    picked = 0
    for number in range(size):
        if below(rng, size - number) < count - picked:
            chosen[picked] = number
            picked += 1
    return chosen
