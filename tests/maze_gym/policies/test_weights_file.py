"""Weights that anybody may have made: one clear error each, in bounded memory, and never code."""

from __future__ import annotations

import io
import json
import shutil
import struct
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy

from maze_gym.errors import InvalidArgument
from maze_gym.policies import sb3
from maze_gym.policies.weights_file import MAX_NUMBERS, read_weights, sizes_of

if TYPE_CHECKING:
    from collections.abc import Callable

SHIPPED = Path(str(files("maze_gym.policies"))) / "shipped" / "ppo_maze"
WHOLE = (SHIPPED / sb3.WEIGHTS).read_bytes()
WORTH = "features_extractor.worth"


def arrays() -> dict[str, Any]:
    with np.load(io.BytesIO(WHOLE)) as found:
        return {name: found[name] for name in found.files}


def packed(content: dict[str, Any], **changes: Any) -> bytes:
    """The weights with some arrays in place of others; None leaves one out."""
    file = io.BytesIO()
    kept = {name: value for name, value in (content | changes).items() if value is not None}
    np.savez(file, **kept)
    return file.getvalue()


def claiming(shape: tuple[int, ...], data: bytes = b"", compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The weights, where the header of one array claims a shape."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, value in arrays().items():
            member = io.BytesIO()
            if name == WORTH:
                npy.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
                member.write(data)
            else:
                npy.write_array(member, value)
            archive.writestr(f"{name}.npy", member.getvalue())
    return file.getvalue()


def bomb() -> bytes:
    """Two megabytes that would unpack to two gigabytes: no header claims them, the zip does."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, value in arrays().items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, value)
                if name == WORTH:
                    for _ in range(2048):
                        member.write(bytes(1 << 20))
    return file.getvalue()


BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "no whole .npz"),
    "text": (lambda: b"weights", "no whole .npz"),
    "cut off": (lambda: WHOLE[: len(WHOLE) // 2], "no whole .npz"),
    "lacks one": (lambda: packed(arrays(), **{WORTH: None}), f"lack {WORTH}"),
    "one more": (lambda: packed(arrays(), extra=np.zeros(3, np.float32)), "hold 'extra'"),
    "wrong shape": (
        lambda: packed(arrays(), **{WORTH: np.zeros((3, 16), np.float32)}),
        r"of shape \(28, channels\)",
    ),
    "unlike its neighbour": (
        lambda: packed(arrays(), **{WORTH: np.zeros((28, 15), np.float32)}),
        r"cost must be of shape \(28, 15\), got \(28, 16\)",
    ),
    "whole numbers": (lambda: packed(arrays(), **{WORTH: np.zeros((28, 16), int)}), "must hold float32"),
    "not finite": (lambda: packed(arrays(), **{WORTH: np.full((28, 16), np.nan, np.float32)}), "not finite"),
    "objects": (
        lambda: packed(arrays(), **{WORTH: np.array([{"code": 1}], object)}),
        "no plain array|float32",
    ),
    "10^13 entries": (lambda: claiming((28, 10**13)), "10,000,000,000,000|must be of shape|claim"),
    "more than it holds": (lambda: claiming((28, 16), bytes(12)), "claims 448 numbers and holds fewer"),
    "less than it holds": (
        lambda: claiming((28, 16), bytes(4 * 28 * 17)),
        "claims 448 numbers and holds more",
    ),
}


def folder_with(tmp_path: Path, data: bytes) -> Path:
    shutil.copy(SHIPPED / sb3.DESCRIPTION, tmp_path)
    (tmp_path / sb3.WEIGHTS).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_weights_is_said_in_one_error(name: str, tmp_path: Path) -> None:
    make, words = BROKEN[name]
    with pytest.raises(InvalidArgument, match="does not hold a trained policy that can be read") as raised:
        sb3.load(folder_with(tmp_path, make()))
    assert raised.match(words)


LIMITED = """
import resource, sys
from pathlib import Path
from maze_gym.policies import sb3
import numpy
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    sb3.load(Path(sys.argv[1]))
except ValueError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits")
@pytest.mark.parametrize(
    "make",
    [bomb, lambda: claiming((10**13,)), lambda: claiming((28, 1 << 19), bytes(1 << 20))],
    ids=["bomb", "10^13", "short"],
)
def test_a_bomb_takes_no_memory(make: Callable[[], bytes], tmp_path: Path) -> None:
    """A gigabyte in all is allowed, the interpreter and NumPy included."""
    data = make()
    assert len(data) < 4 << 20
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder_with(tmp_path, data))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "does not hold a trained policy" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Expecting value"),
        ("[]", "read"),
        ("{}", "format"),
        ("[" * 100_000, "read"),
        (" " * (5 << 20), "more than"),
        (json.dumps({"format": 1, "network": "planner"}), "action_names"),
    ],
    ids=["empty", "list", "no fields", "deep", "long", "few fields"],
)
def test_what_is_wrong_with_a_description_is_said_in_one_error(text: str, words: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, WHOLE)
    (folder / sb3.DESCRIPTION).write_text(text)
    with pytest.raises(InvalidArgument, match="does not hold a trained policy that can be read") as raised:
        sb3.load(folder)
    assert raised.match(words)


@given(place=st.integers(0, len(WHOLE) - 1), bits=st.integers(1, 255))
@settings(max_examples=200, deadline=None)
def test_any_changed_byte_is_harmless_or_one_error(place: int, bits: int) -> None:
    data = bytearray(WHOLE)
    data[place] ^= bits
    try:
        weights = read_weights(io.BytesIO(bytes(data)), "planner", 6, 0)
    except ValueError:
        return
    assert set(weights) == set(sizes_of("planner", 6, 0))
    assert sum(value.size for value in weights.values()) <= MAX_NUMBERS


def test_a_zip_that_lies_about_its_sizes_is_no_way_around() -> None:
    """The central directory says that the array is small; its member is not."""
    data = bytearray(bomb())
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1920)
    with pytest.raises(ValueError, match=r"npz|claims"):
        read_weights(io.BytesIO(bytes(data)), "planner", 6, 0)


def test_the_shipped_weights_are_read_as_they_are() -> None:
    trained = sb3.load(SHIPPED)
    for name, value in arrays().items():
        assert np.array_equal(trained.weights[name], value)
