"""Maze files to pictures, many at once: ``python mazegen/render_dataset.py FOLDER --out DIR``.

PNG is composed from tiles, exactly as ``rgb_array`` is; SVG and PDF are painted by matplotlib. Every
picture appears whole or not at all, and a run that was broken off goes on where it stopped: a picture
is skipped when the list beside it says that it shows this very maze, drawn in this very way.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from mazegen import codec
from mazegen.core import interrupts
from mazegen.core.bounded_files import bounded_lines, json_of
from mazegen.core.file_errors import check_names, in_words, why
from mazegen.core.line_width import width_of, wrapped
from mazegen.core.maze import Maze
from mazegen.core.printable import printable
from mazegen.core.whole_file import write_whole, writing_to
from mazegen.datasets.folder import PICTURES, maze_files
from mazegen.datasets.worker_pool import WorkerPool
from mazegen.errors import (
    MazeError,
    MazeFormatError,
    SearchLimitExceeded,
    UnsolvableMaze,
    UnsupportedMechanism,
)
from mazegen.rendering import canvas, png
from mazegen.rendering.contact_sheet import DEFAULT_LAYOUT, SheetLayout, contact_sheets
from mazegen.rendering.drawing import Drawing, Style, gate_labels
from mazegen.rendering.frames import DEFAULT_CELL_PX, FrameComposer, FrameSize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mazegen.core.parts import Position

Format = Literal["png", "svg", "pdf"]
Outcome = Literal["made", "kept", "skipped", "failed"]
LOOK: Final = 1  # raise it when the picture changes, so that old pictures are made anew
_FEW: Final = 24  # so many are done sooner than a worker starts


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a picture is made.

    Attributes:
        format: ``png``, ``svg`` or ``pdf``.
        cell_px: pixels a cell.
        with_path: whether a shortest walk lies over the floor; never show such a picture to an agent.
        orientation: whether rows and columns are numbered.

    Raises:
        PictureError: an unknown format, or a size out of range.
    """

    format: Format = "png"
    cell_px: int = DEFAULT_CELL_PX
    with_path: bool = False
    orientation: bool = False

    def __post_init__(self) -> None:
        """Refuse what could not be made."""
        if self.format not in get_args(Format):
            msg = f"format must be one of {', '.join(get_args(Format))}, got {self.format!r}"
            raise canvas.PictureError(msg)
        FrameSize(cell_px=self.cell_px)


class MazeLine(NamedTuple):
    """A maze in a file with a maze a line: the file, the line's number from 1, and the byte it begins at."""

    file: Path
    number: int
    begin: int


class Item(NamedTuple):
    """A maze to draw: the name of its picture without the suffix, and the maze or where it lies."""

    name: str
    source: Maze | Path | MazeLine


class Result(NamedTuple):
    """What came of one item.

    Attributes:
        name: of the item.
        outcome: ``made``, ``kept`` (it was there already), ``skipped`` (no maze, or one
            that is not supported yet) or ``failed``.
        note: why, or what is missing in the picture; "" if there is nothing to say.
        digest: of maze and rendering, for the list.
    """

    name: str
    outcome: Outcome
    note: str = ""
    digest: str = ""


def picture_of(maze: Maze, rendering: Rendering) -> tuple[bytes, str]:
    """The bytes of a picture of a maze at its start, and a note if the path could not be drawn.

    Raises:
        PictureError: the picture would be too large.
        MissingPainter: SVG or PDF without matplotlib.
    """
    path, note = _walk(maze) if rendering.with_path else ((), "")
    style = Style(orientation=rendering.orientation)
    if rendering.format == "png":
        composer = FrameComposer(maze, size=FrameSize(cell_px=rendering.cell_px), style=style)
        return png.encode(composer.annotated(composer.drawing.board.start, path=path), level=6), note
    drawing = Drawing(maze, style=style)
    scene = drawing.scene(drawing.board.start, path=path)
    return canvas.encoded(scene, rendering.format, rendering.cell_px), note


def items_in(source: str | os.PathLike[str]) -> list[Item]:
    """The mazes of a folder and its sub-folders, in a fixed order, or of one file.

    Files are JSON with one maze, or JSON lines (``.jsonl``) with a maze each; what a data set keeps
    beside its mazes, such as its manifest, is left out.

    Raises:
        FileNotFoundError: there is nothing there.
    """
    root = Path(source)
    if root.is_file():
        return list(_items_of(root, root.stem))
    if not root.is_dir():
        msg = f"there is no file or folder {str(root)!r}"
        raise FileNotFoundError(msg)
    files = maze_files(root, deep=True)
    if not files:
        msg = f"the folder {str(root)!r} holds no .json or .jsonl file"
        raise FileNotFoundError(msg)
    named = ((file, file.relative_to(root).with_suffix("").as_posix()) for file in files)
    return [item for file, name in named for item in _items_of(file, name)]


def _items_of(file: Path, name: str) -> Iterator[Item]:
    if file.suffix != codec.JSON_LINES:
        yield Item(name, file)
        return
    begin = 0
    with file.open("rb") as lines:
        for number, line in enumerate(bounded_lines(lines, str(file)), 1):
            yield Item(f"{name}/{number:05d}", MazeLine(file, number, begin))
            begin += len(line)


def _maze_of(item: Item) -> Maze:
    """Read the maze of an item; raises as ``codec.load`` does."""
    if isinstance(item.source, Maze):
        return item.source
    if isinstance(item.source, Path):
        return codec.load(item.source)
    with item.source.file.open("rb") as lines:
        lines.seek(item.source.begin)
        return codec.loads(lines.readline(), source=f"{item.source.file}:{item.source.number}")


def render(
    items: Sequence[Item],
    out: str | os.PathLike[str],
    rendering: Rendering | None = None,
    *,
    workers: int | None = None,
) -> Iterator[Result]:
    """Draw every item into a folder; each result is handed out as soon as its picture is there.

    Args:
        items: what to draw.
        out: the folder; it is made if need be.
        rendering: how.
        workers: processes; by default one for each core where there is enough to do.

    Raises:
        PictureError: the folder cannot be made or written to.
        MissingPainter: SVG or PDF without matplotlib.
    """
    rendering = Rendering() if rendering is None else rendering
    if rendering.format != "png":
        canvas.require("matplotlib")
    folder = _made_folder(out)
    done = _read_list(folder)
    if workers is None:
        workers = 1 if len(items) <= _FEW else os.cpu_count() or 1
    with (folder / PICTURES).open("a", encoding="utf-8") as listing:
        for result in _results(items, folder, rendering, done, workers):
            if result.outcome == "made":
                row = {"picture": f"{result.name}.{rendering.format}", "digest": result.digest}
                with writing_to(folder / PICTURES):
                    listing.write(json.dumps(row) + "\n")
                    listing.flush()
            yield result


def write_contact_sheets(
    mazes: Iterable[Maze], folder: str | os.PathLike[str], layout: SheetLayout = DEFAULT_LAYOUT
) -> list[Path]:
    """Write ``contact_sheet-1.png``, ... and return their paths."""
    target = _made_folder(folder)
    paths = []
    for number, page in enumerate(contact_sheets(mazes, layout), 1):
        paths.append(target / f"contact_sheet-{number}.png")
        write_whole(paths[-1], png.encode(page, level=6))
    return paths


def readable_mazes(items: Iterable[Item]) -> Iterator[Maze]:
    """The mazes of the items that are mazes, one at a time; ``render`` reports the others."""
    for item in items:
        with suppress(MazeFormatError):
            yield _maze_of(item)


def _results(
    items: Sequence[Item], folder: Path, rendering: Rendering, done: dict[str, str], workers: int
) -> Iterator[Result]:
    if workers <= 1:
        for item in items:
            yield _render_one(item, folder, rendering, done.get(f"{item.name}.{rendering.format}"))
        return
    with WorkerPool(workers) as pool:
        jobs = [
            pool.submit(_render_one, item, folder, rendering, done.get(f"{item.name}.{rendering.format}"))
            for item in items
        ]
        for job in pool.completed(jobs):
            yield job.result()


def _render_one(item: Item, folder: Path, rendering: Rendering, made: str | None) -> Result:
    """Draw one item unless the picture that was made before shows the same."""
    target = folder / f"{item.name}.{rendering.format}"
    try:
        maze = _maze_of(item)
    except MazeFormatError as error:
        if any(problem.message == "lacks 'maze'" for problem in error.problems):
            return Result(item.name, "skipped", "is not a maze file")
        kind: Outcome = "skipped" if isinstance(error, UnsupportedMechanism) else "failed"
        return Result(item.name, kind, "; ".join(str(problem) for problem in error.problems))
    except OSError as error:
        return Result(item.name, "failed", in_words(error))
    labels = gate_labels(maze)  # the only ids that show in the picture; the content hash leaves them out
    written = [(gate.position, labels[gate.id]) for gate in maze.gates]
    what = json.dumps([LOOK, maze.content_hash, written, asdict(rendering)], sort_keys=True)
    digest = hashlib.sha256(what.encode()).hexdigest()
    if made == digest and target.is_file():
        return Result(item.name, "kept", digest=digest)
    try:
        data, note = picture_of(maze, rendering)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, data, durable=False)  # drawn again if need be
    except (MazeError, OSError) as error:
        return Result(item.name, "failed", in_words(error) if isinstance(error, OSError) else str(error))
    return Result(item.name, "made", note, digest)


def _walk(maze: Maze) -> tuple[tuple[Position, ...], str]:
    from mazegen.search import solver

    try:
        return solver.solve(maze).path, ""
    except (UnsolvableMaze, SearchLimitExceeded) as error:
        return (), f"drawn without a path: {error}"


def _made_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made if need be and tried out, so that a fault shows before the work and not after it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        msg = f"cannot write pictures to {str(folder)!r}: {why(error)}; name another folder"
        raise canvas.PictureError(msg) from error
    return folder


def _read_list(folder: Path) -> dict[str, str]:
    """Digest by picture; the last line may be torn."""
    done: dict[str, str] = {}
    file = folder / PICTURES
    if file.is_file():
        for line in file.read_bytes().splitlines():
            try:
                row = json_of(line, PICTURES)
                done[str(row["picture"])] = str(row["digest"])
            except (ValueError, KeyError, TypeError):
                continue
    return done


def _warn(line: str) -> None:
    sys.stderr.write(wrapped(printable(line), width_of(sys.stderr), hang=2) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw a folder of mazes; returns 0, 1 if a maze could not be drawn, 2 if none could."""
    parser = argparse.ArgumentParser(prog="render_dataset", description="Draw maze files.")
    parser.add_argument("source", help="a maze file, or a folder of them")
    parser.add_argument("--out", required=True, help="the folder for the pictures")
    parser.add_argument("--format", choices=get_args(Format), default="png")
    parser.add_argument("--path", action="store_true", help="lay a shortest walk over the floor")
    parser.add_argument("--cell-px", type=int, default=DEFAULT_CELL_PX, help="pixels a cell")
    parser.add_argument("--orientation", action="store_true", help="number rows and columns")
    parser.add_argument("--sheet", action="store_true", help="a contact sheet as well")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    chosen = parser.parse_args(arguments)
    with interrupts.answered("render_dataset"):
        try:
            check_names([chosen.source, chosen.out])
            failed, total = _draw_all(chosen)
        except (MazeError, OSError) as error:
            words = in_words(error) if isinstance(error, OSError) else str(error)
            _warn(f"render_dataset: error: {words}")
            return 2
        except KeyboardInterrupt:
            _warn("render_dataset: interrupted; the same command goes on where it stopped")
            return interrupts.INTERRUPTED
    sys.stderr.write(f"\r{total - failed} of {total} mazes drawn in {chosen.out}\n")
    return int(failed > 0)


def _draw_all(chosen: argparse.Namespace) -> tuple[int, int]:
    """Do what the options say; how many mazes could not be drawn, and how many there are."""
    failed = 0
    rendering = Rendering(chosen.format, chosen.cell_px, chosen.path, chosen.orientation)
    items = items_in(chosen.source)
    for number, result in enumerate(render(items, chosen.out, rendering, workers=chosen.workers), 1):
        failed += result.outcome == "failed"
        if result.note:
            sys.stderr.write(f"\r{printable(result.name)}: {printable(result.note)}\n")
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{number} of {len(items)}")
    if chosen.sheet:
        write_contact_sheets(readable_mazes(items), chosen.out)
    return failed, len(items)


if __name__ == "__main__":
    sys.exit(main())
