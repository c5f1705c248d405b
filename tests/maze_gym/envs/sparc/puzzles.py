"""Hypothesis strategies for line puzzles, and an independent way to find all their lines."""

from __future__ import annotations

import json
from pathlib import Path as File
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from maze_gym.envs.sparc import rules
from maze_gym.envs.sparc.levels.record import from_record
from maze_gym.envs.sparc.rules import Event
from maze_gym.envs.sparc.rules.puzzle import MAX_TRIANGLES, SHAPED, STEPS, Color, Kind, Puzzle, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.envs.sparc.rules.puzzle import Path, Position

SAMPLE = File(__file__).parents[5] / "shared" / "data" / "sparc" / "sparc_conformance.jsonl"
needs_sample = pytest.mark.skipif(
    not SAMPLE.is_file(), reason="the shared sample of public puzzles is not here"
)


def sample_records() -> list[dict[str, object]]:
    """The shared sample of public records."""
    return [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


def board(text: str, shapes: dict[int, list[str]] | None = None, **fields: object) -> Puzzle:
    """A puzzle drawn as rows of tokens; shapes as rows of ``#`` and ``.``."""
    rows = [line.split() for line in text.strip().splitlines()]
    drawn = {
        str(shape): [[int(cell == "#") for cell in line] for line in lines]
        for shape, lines in (shapes or {}).items()
    }
    return from_record({"id": "drawn", "puzzle_array": rows, "polyshapes": json.dumps(drawn), **fields})


def walk(puzzle: Puzzle, moves: str) -> Path:
    """The line from the start along letters of R, U, L, D, whatever is in its way."""
    row, col = puzzle.start
    path = [(row, col)]
    for move in moves.replace(" ", ""):
        down, right = STEPS["RULD".index(move)]
        row, col = row + down, col + right
        path.append((row, col))
    return tuple(path)


def lane_positions(height: int, width: int) -> list[Position]:
    """Nodes and edges of a board."""
    rows, cols = 2 * height + 1, 2 * width + 1
    return [(row, col) for row in range(rows) for col in range(cols) if not (row % 2 and col % 2)]


def is_border(position: Position, height: int, width: int) -> bool:
    """Whether a line may begin or end there."""
    return position[0] in {0, 2 * height} or position[1] in {0, 2 * width}


@st.composite
def shapes(draw: st.DrawFn, height: int, width: int, most: int = 4) -> tuple[Position, ...]:
    """A shape that fits on a board, connected or not."""
    cells = [(row, col) for row in range(min(height, 4)) for col in range(min(width, 4))]
    chosen = draw(st.sets(st.sampled_from(cells), min_size=1, max_size=most))
    return tuple(sorted(chosen))


@st.composite
def symbols(
    draw: st.DrawFn, kinds: tuple[Kind, ...], ids: tuple[int, ...], colors: tuple[Color, ...]
) -> Symbol:
    """Any symbol of some kinds."""
    kind = draw(st.sampled_from(kinds))
    count = draw(st.integers(1, MAX_TRIANGLES)) if kind == Kind.TRIANGLE else 0
    shape = draw(st.sampled_from(ids)) if kind in SHAPED else None
    return Symbol(kind, draw(st.sampled_from(colors)), count, shape)


@st.composite
def puzzles(draw: st.DrawFn, *, max_side: int = 3, max_cells: int = 9, max_symbols: int = 4) -> Puzzle:
    """Any puzzle on a small board, solvable or not; solutions, level and score are left out."""
    height = draw(st.integers(1, max_side))
    width = draw(st.integers(1, min(max_side, max_cells // height)))
    lanes = lane_positions(height, width)
    border = [position for position in lanes if is_border(position, height, width)]
    start, end = draw(st.lists(st.sampled_from(border), min_size=2, max_size=2, unique=True))
    free = [position for position in lanes if position not in {start, end}]
    marked = draw(st.lists(st.sampled_from(free), max_size=5, unique=True))
    # An even number of marks in a row are dots, so that boards without gaps are common.
    gaps = {each for index, each in enumerate(marked) if index % 2 and sum(each) % 2}
    dots = draw(st.sampled_from((set(marked[:2]) - gaps, set())))
    kinds = tuple(draw(st.sets(st.sampled_from(Kind), min_size=1)))
    held = draw(st.sets(shapes(height, width), min_size=1, max_size=3))
    ids = tuple(sorted(draw(st.sets(st.integers(0, 70_000), min_size=len(held), max_size=len(held)))))
    colors = tuple(draw(st.lists(st.sampled_from(Color), min_size=1, max_size=2, unique=True)))
    cells = [(row, col) for row in range(1, 2 * height, 2) for col in range(1, 2 * width, 2)]
    where = draw(st.sets(st.sampled_from(cells), max_size=min(max_symbols, len(cells))))
    return Puzzle(
        "drawn",
        height,
        width,
        start,
        end,
        tuple(sorted(gaps)),
        tuple(sorted(dots)),
        tuple((cell, draw(symbols(tuple(sorted(kinds)), ids, colors))) for cell in sorted(where)),
        tuple(zip(ids, sorted(held), strict=True)),
    )


def lines(puzzle: Puzzle) -> Iterator[tuple[Path, Event]]:
    """Every line from start to end, with the event at its end: by walking, without a thought."""
    stack = [rules.initial_state(puzzle)]
    while stack:
        state = stack.pop()
        for action in rules.legal_actions(puzzle, state, backtracking=False):
            after, event = rules.step(puzzle, state, action, backtracking=False)
            if event in {Event.SOLVED, Event.FAILED}:
                yield after.path, event
            else:
                stack.append(after)


def brute_force(puzzle: Puzzle) -> set[Path]:
    """All lines that obey all rules."""
    return {path for path, event in lines(puzzle) if event == Event.SOLVED}
