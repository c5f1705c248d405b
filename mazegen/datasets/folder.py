"""The folder of a data set: what is in it, how it grows, and how an interrupted one goes on.

While a data set grows, ``rows.jsonl`` collects the rows of its manifest, and ``progress.jsonl`` has a line
for every block that is completely written, with the sizes of all growing files at that point. Going on means
cutting the files to those sizes and making what follows again. When all is there, the rows become
``manifest.json`` and both journals go away. Nothing that grows with the data set is kept in memory but the
hashes by which duplicates are known. The process that makes it holds the journal locked until the end.
"""

from __future__ import annotations

import collections
import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from mazegen import codec
from mazegen.core import file_lock
from mazegen.core.bounded_files import MOST_OF_A_MANIFEST, expecting, json_of
from mazegen.core.file_errors import read_text
from mazegen.core.symmetry import layout_hash
from mazegen.core.whole_file import whole_file, write_whole, writing_to
from mazegen.datasets.config import SPLITS, DatasetConfig

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from mazegen.core.maze import Maze
    from mazegen.generation.orchestrator import Proved
    from mazegen.generation.spec import MazeGenSpec
    from mazegen.validation.difficulty import Difficulty

JOURNAL, ROWS, MANIFEST = "progress.jsonl", "rows.jsonl", "manifest.json"
PICTURES = "pictures.jsonl"  # what ``render_dataset`` has drawn into a folder
BOOKKEEPING = frozenset({JOURNAL, ROWS, MANIFEST, PICTURES})  # no mazes, though their names end like those
# To look for circles, of which plain records have none, takes a quarter of the time of writing.
_as_line = json.JSONEncoder(check_circular=False).encode


def maze_files(folder: Path, *, deep: bool = False) -> list[Path]:
    """The files of a folder that are there for mazes, ``.json`` and ``.jsonl``, sorted.

    ``deep`` takes those of its sub-folders as well.
    """
    found = folder.rglob("*.json*") if deep else folder.glob("*.json*")
    endings = (".json", codec.JSON_LINES)
    return sorted(each for each in found if each.suffix in endings and each.name not in BOOKKEEPING)


def row_of(
    maze: Maze, measured: Difficulty, spec: MazeGenSpec | None, config: DatasetConfig | None
) -> dict[str, Any]:
    """What a manifest says of a maze, apart from where it lies and which candidate it was.

    Without its spec, or the config of its data set, what they alone decide is left out.
    """
    layout = layout_hash(maze)
    return {
        "level_id": maze.level_id,
        **({} if config is None else {"split": config.split_of(layout)}),
        "seed": maze.seed,
        **({} if spec is None else {"tier": spec.tier, "topology": str(spec.topology), "chain": spec.chain}),
        "size": [maze.rows, maze.cols],
        "content_hash": maze.content_hash,
        "layout_hash": layout,
        **measured.to_dict(),
        **({} if spec is None else {"spec": spec.to_dict() | {"seed": maze.seed}}),
    }


class Made(NamedTuple):
    """One candidate: its ``layout_hash``, empty if there is no maze; its text; its row of the manifest.

    ``reason`` is why there is no maze: what most attempts failed for.
    """

    layout: str
    text: str
    row: dict[str, Any]
    reason: str = ""

    @classmethod
    def of(cls, proved: Proved, spec: MazeGenSpec, config: DatasetConfig) -> Made:
        """Write a maze down and measure it."""
        from mazegen.validation.difficulty import measure

        maze = proved.maze
        text = codec.dumps(maze) if config.as_files else _as_line(codec.to_dict(maze)) + "\n"
        row = row_of(maze, measure(maze, proved=proved), spec, config)
        return cls(row["layout_hash"], text, row)


class DatasetFolder:
    """A data set on disk that grows block by block.

    Raises:
        ValueError: the folder holds another data set, or something else, or one that has lost files; or
            another process is writing it.
    """

    def __init__(self, path: str | os.PathLike[str], config: DatasetConfig) -> None:
        """Open a folder, and take up what an interrupted run of the same configuration left."""
        self.path, self.config = Path(path), config
        self.candidates = self.done = self.duplicates = self.failed = 0
        self.reasons: collections.Counter[str] = collections.Counter()  # of those that failed
        self.is_finished = False
        self._seen: set[bytes] = set()
        self._counts: collections.Counter[str] = collections.Counter()
        self._shards: dict[str, BinaryIO] = {}
        self._sizes: dict[str, int] = {}
        self.path.mkdir(parents=True, exist_ok=True)
        self._journal: BinaryIO | None = None
        try:
            held = None if (self.path / MANIFEST).exists() else self._hold()
            with expecting(f"{self.path} holds no data set that can be read"):
                if held is None or (self.path / MANIFEST).exists():  # another process has just finished it
                    self._close()
                    self._read_manifest()
                else:
                    self._resume(held)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._close()

    def add(self, first: int, made: list[Made]) -> None:
        """Write a block of candidates, numbered from ``first`` on, without what was there before."""
        for number, candidate in enumerate(made, start=first):
            if self.done == self.config.count:
                break
            self.candidates += 1
            if not candidate.layout:
                self.failed += 1
                self.reasons[candidate.reason] += 1
            elif bytes.fromhex(candidate.layout) in self._seen:
                self.duplicates += 1
            else:
                self._seen.add(bytes.fromhex(candidate.layout))
                row = self._write(candidate) | candidate.row | {"candidate": number}
                self._append(ROWS, _as_line(row).encode() + b"\n")
                self.done += 1
        for name, shard in self._shards.items():
            with writing_to(self.path / name):
                shard.flush()
        state = {
            "candidates": self.candidates, "duplicates": self.duplicates, "failed": self.failed,
            "reasons": self.reasons, "sizes": self._sizes,
        }  # fmt: skip
        self._note(json.dumps(state))

    def finish(self) -> None:
        """Write the manifest and drop the journal."""
        head = json.dumps(
            {
                "config": self.config.to_dict(),
                "splits": {name: self._counts[name] for name in SPLITS},
                "candidates": self.candidates,
                "duplicates": self.duplicates,
                "failed": self.failed,
            }
        )
        self._close_shards()
        rows_file = self.path / ROWS
        with whole_file(self.path / MANIFEST) as new, new.open("wb") as file, rows_file.open("rb") as rows:
            file.write(head[:-1].encode() + b', "levels": [\n' + next(rows).rstrip(b"\n"))
            for row in rows:
                file.write(b",\n" + row.rstrip(b"\n"))
            file.write(b"\n]}\n")
        self._close()  # not before: the journal's lock keeps others out
        self._drop_journals()
        self.is_finished = True

    def _write(self, candidate: Made) -> dict[str, Any]:
        """Write one maze; where it is."""
        split = candidate.row["split"]
        number = self._counts[split]
        self._counts[split] += 1
        if self.config.as_files:
            name = f"{split}/maze_{number:06d}.json"
            (self.path / split).mkdir(exist_ok=True)
            write_whole(self.path / name, candidate.text.encode(), durable=False)
            return {"file": name}
        name = f"{split}-{number // self.config.shard_size:05d}.jsonl"
        self._append(name, candidate.text.encode())
        line = number % self.config.shard_size
        if line == self.config.shard_size - 1:
            with writing_to(self.path / name):
                self._shards.pop(name).close()
        return {"file": name, "line": line}

    def _drop_journals(self) -> None:
        (self.path / JOURNAL).unlink(missing_ok=True)
        (self.path / ROWS).unlink(missing_ok=True)

    def _append(self, name: str, data: bytes) -> None:
        """Let a file grow whose size the journal notes."""
        with writing_to(self.path / name):
            if name not in self._shards:
                self._shards[name] = (self.path / name).open("ab")
            self._shards[name].write(data)
        self._sizes[name] = self._sizes.get(name, 0) + len(data)

    def _note(self, line: str) -> None:
        if self._journal is not None:
            with writing_to(self.path / JOURNAL):
                self._journal.write(line.encode() + b"\n")
                self._journal.flush()

    def _close_shards(self) -> None:
        for name, file in self._shards.items():
            with writing_to(self.path / name):
                file.close()
        self._shards = {}

    def _close(self) -> None:
        for file in (*self._shards.values(), self._journal):
            with contextlib.suppress(OSError):  # a full disk has been told of; the next run cuts the rest
                if file is not None:
                    file.close()
        self._shards, self._journal = {}, None

    def _read_manifest(self) -> None:
        file = self.path / MANIFEST
        try:
            found = json_of(read_text(file, MOST_OF_A_MANIFEST), str(file))
            counts = len(found["levels"]), found["candidates"], found["duplicates"], found["failed"]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            msg = f"{file} is no manifest of a data set; use another folder, or remove it"
            raise ValueError(msg) from error
        self._check_config(found.get("config"))
        self.done, self.candidates, self.duplicates, self.failed = counts
        self.is_finished = True
        self._drop_journals()  # a run that was stopped right after it had finished left them

    def _check_config(self, config: object) -> None:
        if config != json.loads(json.dumps(self.config.to_dict())):
            msg = f"{self.path} holds a data set made with other settings; use another folder"
            raise ValueError(msg)

    def _hold(self) -> BinaryIO:
        """Open the journal, or begin one, and keep other processes out."""
        journal = self.path / JOURNAL
        if not journal.exists():
            others = sorted(each.name for each in self.path.iterdir())
            if others:
                msg = f"{self.path} is not empty and holds no data set ({others[0]}, ...); use another folder"
                raise ValueError(msg)
        self._journal = held = journal.open("a+b")  # which leaves the lines of another process alone
        try:
            file_lock.lock(held.fileno())
        except BlockingIOError as error:
            msg = f"{self.path} is being written by another process; wait for it, or end it"
            raise ValueError(msg) from error
        except OSError:  # a file system without locks: mazes are made there all the same
            pass
        return held

    def _resume(self, journal: BinaryIO) -> None:
        good = 0
        journal.seek(0)
        for line in journal:
            if not line.endswith(b"\n"):
                break  # the run was stopped in the middle of this line
            entry = json_of(line, str(self.path / JOURNAL))
            if good == 0:
                self._check_config(entry.get("config"))
            else:
                self._take_up(entry)
            good += len(line)
        self._cut_to_sizes()
        journal.truncate(good)
        if good == 0:
            self._note(json.dumps({"config": self.config.to_dict()}))

    def _take_up(self, entry: dict[str, Any]) -> None:
        self.candidates, self.duplicates = entry["candidates"], entry["duplicates"]
        self.failed, self._sizes = entry["failed"], entry["sizes"]
        self.reasons = collections.Counter(entry.get("reasons", {}))  # older versions did not note them

    def _check_kept(self, name: str, size: int) -> None:
        """What a note speaks of was on disk before the note; a crash of the machine may have lost it."""
        file = self.path / name
        if not file.is_file() or file.stat().st_size < size:
            msg = f"{file} has lost what {JOURNAL} says was written; empty {self.path} and start again"
            raise ValueError(msg)

    def _cut_to_sizes(self) -> None:
        """Drop what was written after the last note, and count what stays."""
        for name, size in self._sizes.items():
            self._check_kept(name, size)
        own = (ROWS, *(f"{split}-*.jsonl" for split in SPLITS))  # anything else in the folder is not ours
        for growing in (each for pattern in own for each in self.path.glob(pattern)):
            size = self._sizes.get(growing.name, 0)
            with growing.open("r+b") as file:
                file.truncate(size)
            if not size:
                growing.unlink()
        if ROWS in self._sizes:
            with (self.path / ROWS).open("rb") as file:
                for line in file:
                    row = json.loads(line)
                    if self.config.as_files:
                        self._check_kept(row["file"], 1)
                    self._seen.add(bytes.fromhex(row["layout_hash"]))
                    self._counts[row["split"]] += 1
                    self.done += 1
