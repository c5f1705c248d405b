"""Weights from a file that anybody may have made: checked before a byte of them is unpacked, and never code.

An ``.npz`` is a zip of arrays, each with a header that says how large it is. A zip can be cut off, and both
the zip and the headers can lie; so every size is held against what the network can have, and no more is read
than that. What comes out fits together, and every number in it is finite.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.lib import format as npy

from maze_gym.policies.networks import ACTIONS, EXTRACTOR, FEATURES, HEAD, PLAN_CODES
from mazegen.core.maze import KEY_COLORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

MAX_NUMBERS = 1 << 24  # in all arrays of a policy: 64 MiB; the largest that training makes have a tenth of it
_HEADER = 1 << 12  # bytes of an array's header; those of plain arrays have 128
_AROUND = 4  # places beside the agent that the planner compares with its own
# A size is a number, or a name that stands for the same number wherever it is written.
Sizes: TypeAlias = "tuple[int | str, ...]"


def _layer(name: str, outputs: int | str, inputs: int | str) -> dict[str, Sizes]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def sizes_of(network: str, actions: int, numbers: int) -> dict[str, Sizes]:
    """The arrays of a network by name, and their sizes.

    Args:
        network: one of ``FEATURES``.
        actions: how many its world has.
        numbers: of a flat observation.
    """
    last = {**_layer(HEAD, "head", "features"), **_layer(ACTIONS, actions, "head")}
    body = f"{EXTRACTOR}.body.0", f"{EXTRACTOR}.body.2"
    look: Sizes = (PLAN_CODES, "looks")
    if network == "planner":
        tables: dict[str, Sizes] = {
            f"{EXTRACTOR}.{name}": (PLAN_CODES, "channels") for name in ("worth", "cost")
        }
        return {**tables, f"{EXTRACTOR}.look": look, **_layer(body[0], "features", "joined"), **last}
    if network == "view":
        first = {f"{EXTRACTOR}.look": look, **_layer(body[0], "hidden", "joined")}
        return {**first, **_layer(body[1], "features", "hidden"), **last}
    return {**_layer(body[0], "hidden", numbers), **_layer(body[1], "features", "hidden"), **last}


def read_weights(file: IO[bytes], network: str, actions: int, numbers: int) -> dict[str, NDArray[np.float32]]:
    """The weights of a network, by name.

    Args:
        file: an ``.npz``, opened for reading.
        network: which network they are to be of.
        actions: how many actions its world has.
        numbers: of a flat observation; anything for other networks.

    Raises:
        ValueError: they are not; the message says what was expected and what came.
    """
    if network not in FEATURES:
        msg = f"there is no network {network!r}; there are: {', '.join(FEATURES)}"
        raise ValueError(msg)
    expected = sizes_of(network, actions, numbers)
    try:
        with zipfile.ZipFile(file) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            _check_names(expected, members)
            shapes: dict[str, tuple[int, ...]] = {}
            for name in expected:
                with archive.open(members[name]) as stream:
                    shapes[name] = _shape_in_header(name, stream)
            _check_sizes(network, expected, shapes)
            return {name: _array(name, archive, members[name], shapes[name]) for name in expected}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        msg = f"the weights are no whole .npz file ({error}); the file is cut off or broken"
        raise ValueError(msg) from error


def _check_names(expected: Iterable[str], found: Iterable[str]) -> None:
    missing, more = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    if missing:
        msg = f"the weights lack {', '.join(missing)}"
        raise ValueError(msg)
    if more:
        msg = f"the weights hold {', '.join(map(repr, more[:3]))}, which this network does not have"
        raise ValueError(msg)


def _shape_in_header(name: str, stream: IO[bytes]) -> tuple[int, ...]:
    """What the header of an array says, read no further."""
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, in_columns, dtype = read(stream, max_header_size=_HEADER)
    except (ValueError, EOFError) as error:
        msg = f"{name} is no plain array ({error})"
        raise ValueError(msg) from error
    if dtype != np.float32 or in_columns:
        msg = f"{name} must hold float32 numbers, row by row, got {dtype}{' by columns' * bool(in_columns)}"
        raise ValueError(msg)
    return tuple(shape)


def _check_sizes(network: str, expected: Mapping[str, Sizes], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Every size is as the network has it, equal names are equal sizes, and all together are bounded."""
    known: dict[int | str, int] = {}
    for name, sizes in expected.items():
        wanted = tuple(known.get(size, size) for size in sizes)
        fits = len(wanted) == len(shapes[name]) and all(
            isinstance(size, str) or size == got for size, got in zip(wanted, shapes[name], strict=False)
        )
        if not fits:
            msg = f"{name} must be of shape ({', '.join(map(str, wanted))}), got {shapes[name]}"
            raise ValueError(msg)
        known |= {size: got for size, got in zip(sizes, shapes[name], strict=True) if isinstance(size, str)}
    total = sum(map(math.prod, shapes.values()))
    if total > MAX_NUMBERS:
        msg = f"the weights claim to be {total:,} numbers, and no policy has more than {MAX_NUMBERS:,}"
        raise ValueError(msg)
    if network == "planner":
        joined = (2 * _AROUND + 1) * known["channels"] + (_AROUND + 1) * known["looks"] + len(KEY_COLORS)
        if known["joined"] != joined:
            msg = f"{EXTRACTOR}.body.0.weight must take {joined} numbers, got {known['joined']}"
            raise ValueError(msg)


def _array(
    name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, shape: tuple[int, ...]
) -> NDArray[np.float32]:
    """One array, of which the header and its size have been checked."""
    count = math.prod(shape)
    with archive.open(member) as stream:
        _shape_in_header(name, stream)
        data = stream.read(4 * count + 1)  # one more, so that what is too long is seen, and no more than that
        whole = len(data) == 4 * count and not stream.read(1)  # the end of a member checks its sum
    if not whole:
        msg = f"{name} claims {count:,} numbers and holds {'more' if len(data) > 4 * count else 'fewer'}"
        raise ValueError(msg)
    values: NDArray[np.float32] = np.frombuffer(data, np.float32).reshape(shape)
    if not np.isfinite(values).all():
        msg = f"{name} holds numbers that are not finite"
        raise ValueError(msg)
    return values
