"""RGB arrays to PNG: the standard library is enough, and it is quick."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TRUE_COLOR, _UP = 2, 2
_BAND = 32  # rows that are filtered and compressed at a time, so that they stay in the cache
_MEM_LEVEL = 5  # of zlib: tables that stay in the first cache
DEFAULT_LEVEL = 1  # of zlib; a board is so regular that more effort saves little


def encode(frame: NDArray[np.uint8], level: int = DEFAULT_LEVEL) -> bytes:
    """A frame as a PNG file; the same frame is the same bytes.

    Args:
        frame: (height, width, 3) RGB.
        level: effort of the compression, 0 (none) to 9.

    Raises:
        ValueError: another shape or dtype.
    """
    if frame.ndim != 3 or frame.shape[2] != 3 or not frame.size or frame.dtype != np.uint8:  # noqa: PLR2004 - RGB
        msg = f"frame must be a (height, width, 3) array of uint8, got {frame.shape} {frame.dtype}"
        raise ValueError(msg)
    height, width, _ = frame.shape
    flat = np.ascontiguousarray(frame).reshape(height, width * 3)
    deflate = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS, _MEM_LEVEL, zlib.Z_FILTERED)
    body = [deflate.compress(_filtered(flat, top).data) for top in range(0, height, _BAND)]
    header = struct.pack(">IIBBBBB", width, height, 8, _TRUE_COLOR, 0, 0, 0)
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", b"".join((*body, deflate.flush()))),
            _chunk(b"IEND", b""),
        )
    )


def _filtered(flat: NDArray[np.uint8], top: int) -> NDArray[np.uint8]:
    """A band of rows, each as the difference from the one above it: cells of a board are mostly upright."""
    band = flat[top : top + _BAND]
    lines = np.empty((len(band), 1 + flat.shape[1]), np.uint8)
    lines[:, 0] = _UP
    lines[0, 1:] = band[0] - flat[top - 1] if top else band[0]
    np.subtract(band[1:], band[:-1], out=lines[1:, 1:])
    return lines


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
