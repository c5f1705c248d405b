"""Files of JSON lines: whole lines or none, whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.errors import InvalidArgument, NotWritten
from maze_gym.evaluation.storage.line_file import LineFile, read_lines

if TYPE_CHECKING:
    from typing import Any

FULL = Path("/dev/full")  # takes nothing, as a full disk does


@given(
    lines=st.lists(st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), max_size=5),
    torn=st.binary(max_size=200).filter(lambda data: b"\n" not in data),
)
def test_an_unfinished_line_is_cut_and_whole_ones_stay(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, Any]], torn: bytes
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + torn)
    assert list(read_lines(path)) == lines  # reading leaves it out,
    with LineFile(path) as file:  # and opening cuts it off
        assert file.last(dict) == (lines[-1] if lines else None)
        file.append({"new": "ü\n"})
    assert list(read_lines(path)) == [*lines, {"new": "ü\n"}]


def test_a_long_unfinished_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"x" * 200_000)
    with LineFile(path) as file:
        file.append({"b": 2})
        file.cut_last_line()
    assert path.read_bytes() == b'{"a": 1}\n'


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with LineFile(path) as file:

        def write(number: int) -> None:
            for _ in range(50):
                file.append({"n": number, "x": "y" * 999})

        threads = [Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(fields["n"] for fields in read_lines(path)) == sorted(list(range(8)) * 50)


def test_whoever_finds_the_file_taken_leaves_the_line_to_whoever_has_it(tmp_path: Path) -> None:
    with LineFile(tmp_path / "x.jsonl") as file:
        with file._lock:  # somebody is writing
            file.append({"a": 1})  # and waits for nobody
            file.append({"a": 2})
            assert list(read_lines(tmp_path / "x.jsonl")) == []
        file.append({"a": 3})
        assert [fields["a"] for fields in read_lines(tmp_path / "x.jsonl")] == [1, 2, 3]
        with file._lock:
            file.append({"a": 4})
        file.flush()
        assert len(list(read_lines(tmp_path / "x.jsonl"))) == 4
        with file._lock:
            file.append({"a": 5})
    assert len(list(read_lines(tmp_path / "x.jsonl"))) == 5  # closing leaves nothing behind


def test_lines_that_a_disk_did_not_take_are_kept_for_when_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(28, "No space left on device")
        return real(file, data[:4])  # takes a part, and then nothing

    real = os.write
    with LineFile(tmp_path / "x.jsonl") as file:
        file.append({"a": 1})
        monkeypatch.setattr(os, "write", full)
        with file._lock:
            file.append({"a": 2})
        for number in (3, 4):
            with pytest.raises(NotWritten, match="the disk is full"):
                file.append({"a": number})
            assert (tmp_path / "x.jsonl").read_text() == '{"a": 1}\n'
        monkeypatch.setattr(os, "write", real)
        file.flush()
    assert [fields["a"] for fields in read_lines(tmp_path / "x.jsonl")] == [1, 2, 3, 4]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\nnonsense\n{"b": 2}\n')
    with pytest.raises(InvalidArgument, match=r"x\.jsonl, line 2 is not JSON"):
        list(read_lines(path))
    path.write_text("[]\n")
    with pytest.raises(InvalidArgument, match="line 1: must be an object, got list"):
        list(read_lines(path))


def test_no_file_has_no_lines_and_a_closed_one_takes_none(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "none.jsonl")) == []
    file = LineFile(tmp_path / "x.jsonl")
    file.close()
    file.close()
    with pytest.raises(NotWritten, match="has been closed"):
        file.append({})


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_is_an_error_that_says_so(tmp_path: Path) -> None:
    link = tmp_path / "x.jsonl"
    link.symlink_to(FULL)
    with LineFile(link) as file, pytest.raises(NotWritten, match="the disk is full"):
        file.append({"a": 1})


LIMITED = """
import resource, sys
from pathlib import Path
from maze_gym.errors import NotWritten
from maze_gym.evaluation.storage.line_file import LineFile
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
with LineFile(Path(sys.argv[1])) as file:
    try:
        for number in range(100):
            file.append({"number": number})
    except NotWritten as error:
        print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_line_that_fits_only_in_part_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert "could not be written: the file would be too large; everything before it is safe" in done.stdout
    assert path.stat().st_size < 100  # the part that fitted is gone
    assert [fields["number"] for fields in read_lines(path)] == list(range(7))
