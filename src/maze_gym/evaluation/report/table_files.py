"""The tables of a report as files: CSV, or Parquet by pyarrow (the extra ``data``)."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.extras import require
from mazegen.core.printable import printable
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maze_gym.evaluation.report.tables import Cell, Table

FORMATS = ("csv", "parquet")
_FORMULA_BEGINS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # plain and full-width


def save_tables(found: Sequence[Table], folder: Path, kind: str) -> list[Path]:
    """Write each table into a folder under its name; it is made if it does not exist.

    Args:
        found: the tables.
        folder: where to.
        kind: one of ``FORMATS``.

    Raises:
        InvalidArgument: there is no such format.
        MissingExtra: Parquet, and pyarrow is not installed.
        NotWritten: the disk did not take a file; those that were there are as they were.
    """
    if kind not in FORMATS:
        msg = f"tables are written as one of {', '.join(FORMATS)}, got {kind!r}"
        raise InvalidArgument(msg)
    save = _save_csv if kind == "csv" else _save_parquet
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in found:
        path = folder / f"{table.name}.{kind}"
        save(table, path)
        written.append(path)
    return written


def _save_csv(table: Table, path: Path) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    write_whole(path, text.getvalue())


def _plain(cell: Cell) -> Cell:
    """A text that a spreadsheet would run as a formula is quoted, and control characters are spelt out.

    Names may come from anywhere. What stands quoted behind spaces is quoted, too: some readers trim.
    """
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    return f"'{text}" if text.lstrip().startswith(_FORMULA_BEGINS) else text


def _save_parquet(table: Table, path: Path) -> None:
    pyarrow = require("pyarrow", "data")
    parquet = require("pyarrow.parquet", "data")
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.columns)
    arrays = [pyarrow.array(_of_one_kind(column)) for column in columns]
    data = io.BytesIO()
    parquet.write_table(pyarrow.table(arrays, names=list(table.columns)), data)
    write_whole(path, data.getvalue())


def _of_one_kind(column: Sequence[Cell]) -> list[Cell]:
    """Whole and real numbers in one column become real ones, as Parquet wants one type."""
    if any(type(cell) is float for cell in column):
        return [
            float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell for cell in column
        ]
    return list(column)
