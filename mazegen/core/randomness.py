"""Streams of random numbers derived from integers by hashing, the same on every machine.

Neighbouring seeds give unrelated streams, because a seed is hashed together with what it is for and
never added to anything. Compiled code draws from the words with ``mazegen.core.random_draws``.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SEED = 2**64 - 1
_SEED_BITS = 53  # what every JSON reader keeps exactly


def derive_seed(*words: int | str) -> int:
    """A seed of 53 bits that depends on all words, in order.

    >>> derive_seed(7, 0) != derive_seed(7, 1) != derive_seed(8, 0)
    True
    """
    return int.from_bytes(_digest(words)[:8], "little") >> (64 - _SEED_BITS)


def stream(*words: int | str) -> NDArray[np.int64]:
    """The state (4,) of a stream that depends on all words; each element holds 32 bits."""
    return np.array(struct.unpack_from("<4I", _digest(words)), np.int64)


def _digest(words: tuple[int | str, ...]) -> bytes:
    return hashlib.sha256("/".join(map(str, words)).encode()).digest()
