"""Layouts: the classic one, text both ways, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from maze_gym.envs.pacman.rules.layout import CLASSIC, Layout, LayoutError, parse
from maze_gym.errors import InvalidArgument

from ..boards import SMALL, layouts


def test_classic_is_the_board_of_the_sample() -> None:
    assert (CLASSIC.rows, CLASSIC.cols) == (10, 10)
    assert CLASSIC.pellets.bit_count() == 84
    power = [CLASSIC.position(cell) for cell in range(100) if CLASSIC.power >> cell & 1]
    assert power == [(0, 0), (0, 9), (9, 0), (9, 9)]
    walls = {CLASSIC.position(cell) for cell in range(100) if CLASSIC.walls >> cell & 1}
    assert walls == {(row, col) for row in (2, 3, 6, 7) for col in (2, 3, 6, 7)}
    assert CLASSIC.position(CLASSIC.player) == (9, 4)
    assert [CLASSIC.position(ghost) for ghost in CLASSIC.ghosts] == [(0, 4), (0, 5), (9, 5)]


@given(layout=layouts())
def test_text_reads_back_as_the_same_board(layout: Layout) -> None:
    ordered = replace(layout, ghosts=tuple(sorted(layout.ghosts)))
    assert parse(ordered.to_rows(), ordered.level_id) == ordered
    spaced = "\n\n".join(" ".join(row) for row in ordered.to_rows())
    assert parse(spaced, ordered.level_id).content_hash == ordered.content_hash


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["P.", "G.", "P."], r"exactly one player.*got 2: row 0, column 0, row 2, column 0"),
        (["..", "G."], r"exactly one player.*got 0"),
        (["pEg"], "nothing to eat"),
        (["P.G", "WWW", "..."], r"pellet at row 2, column 0 cannot be reached from row 0, column 0"),
        (["P.G", "WWW", "EEO"], r"power pellet at row 2, column 2 cannot be reached"),
        (["P.G", ".."], r"row 1 has 2 columns, row 0 has 3"),
        (["P.G", ".x."], r"unknown symbol 'x' at row 1, column 1"),
        (["P.."], "from 1 to 8 ghosts, got 0"),
        (["PGGGGGGGGG"], "from 1 to 8 ghosts, got 9"),
        (["P" + "." * 15 + "G"], "from 1 to 16 cells"),
        ([], "empty"),
        (["  "], "empty"),
    ],
)
def test_bad_boards_are_refused_with_row_and_column(rows: list[str], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        parse(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ghosts": (4,)}, "ghost 0 starts in the wall at row 1, column 1"),
        ({"player": 4}, "the player starts in the wall at row 1, column 1"),
        ({"ghosts": (8, 99)}, "ghost 1 starts at row 33, column 0, off the 3 x 3 board"),
        ({"ghosts": (0,)}, "ghost 0 starts on top of the player at row 0, column 0"),
        ({"ghosts": (8, 8)}, "ghost 1 starts on top of ghost 0 at row 2, column 2"),
        ({"ghosts": (1,)}, "ghost 0 starts on the power pellet at row 0, column 1"),
        ({"dots": 1 << 4}, "pellet at row 1, column 1 is in a wall"),
        ({"dots": 1 << 9}, "a pellet outside of the 3 x 3 board"),
        ({"dots": 1 << 1}, "share row 0, column 1"),
    ],
)
def test_bad_fields_are_refused_with_row_and_column(change: dict[str, int], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        replace(SMALL, **change)  # type: ignore[arg-type]  # wrong on purpose


def test_layout_errors_are_invalid_arguments() -> None:
    assert issubclass(LayoutError, InvalidArgument)
