"""Generated puzzles: right, solvable, within their spec, and the same for the same seed."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs.sparc.generation.difficulty import content_of, score_of
from maze_gym.envs.sparc.generation.generator import RULE_NAMES, GenerationFailed, PuzzleSpec, generate
from maze_gym.envs.sparc.generation.line import END_PLACES, draw_line, places
from maze_gym.envs.sparc.generation.polyominoes import SIDE, cut, shape_id
from maze_gym.envs.sparc.generation.random_stream import RandomStream
from maze_gym.envs.sparc.rules.constraints import judge
from maze_gym.envs.sparc.rules.puzzle import LEVELS, MAX_SIDE, STEPS, Kind, Puzzle, extent, level_of
from maze_gym.envs.sparc.search.solver import enumerate_solutions
from maze_gym.errors import InvalidArgument

from .. import puzzles as boards

SEEDS = st.integers(0, 2**32)
# Small boards, so that many puzzles can be made and checked.
SMALL = PuzzleSpec(height=(2, 3), width=(2, 4))
EASY = 24


def rules_of(puzzle: Puzzle) -> set[str]:
    """The rules that can be broken on a board."""
    names = {symbol.kind.name.lower() for _, symbol in puzzle.symbols}
    return names | ({"gap"} if puzzle.gaps else set()) | ({"dot"} if puzzle.dots else set())


@given(SEEDS, st.sampled_from((None, *LEVELS)), st.sets(st.sampled_from(RULE_NAMES), min_size=4))
@settings(max_examples=40)
def test_puzzles_are_solvable_and_within_their_spec(seed: int, level: int | None, allowed: set[str]) -> None:
    names = tuple(rule for rule in RULE_NAMES if rule in allowed)
    spec = PuzzleSpec(level=level, rules=names, max_solutions=20)
    try:
        puzzle = generate(spec, seed)
    except GenerationFailed:
        # Without most symbols no board gets hard, and a hard board may need them to have few solutions.
        assert level in {4, 5}
        return
    assert puzzle.puzzle_id == f"generated-{seed}"
    assert 1 <= len(puzzle.solutions) <= 20
    assert all(judge(puzzle, path).ok for path in puzzle.solutions)
    assert list(puzzle.solutions) == enumerate_solutions(replace(puzzle, solutions=()))
    assert rules_of(puzzle) <= allowed | ({"polyomino"} if "ylop" in allowed else set())
    assert 2 <= puzzle.height <= 6
    assert 2 <= puzzle.width <= 6
    assert puzzle.score == score_of(content_of(puzzle))
    assert puzzle.level == level_of(puzzle.score)
    assert level in {None, puzzle.level}


def test_the_same_seed_makes_the_same_puzzle_and_others_make_others() -> None:
    first = [generate(SMALL, seed) for seed in range(EASY)]
    again = [generate(SMALL, seed) for seed in reversed(range(EASY))][::-1]
    assert first == again
    assert len({puzzle.content_hash for puzzle in first}) == EASY


def test_a_puzzle_of_a_seed_is_what_it_was_when_the_suite_was_built() -> None:
    puzzle = generate(PuzzleSpec(level=3), 0)
    assert puzzle.content_hash[:16] == "1a478c0e06bdf92a"


def test_all_rules_all_counts_of_triangles_and_all_kinds_of_ends_occur() -> None:
    puzzles = [generate(PuzzleSpec(level=level), seed) for level in LEVELS[:4] for seed in range(EASY // 2)]
    puzzles += [
        generate(PuzzleSpec(rules=("triangle", "ylop", "polyomino"), height=(2, 3)), seed)
        for seed in range(EASY)
    ]
    assert set().union(*map(rules_of, puzzles)) == set(RULE_NAMES)
    triangles = Counter(
        symbol.count for each in puzzles for _, symbol in each.symbols if symbol.kind == Kind.TRIANGLE
    )
    assert set(triangles) >= {1, 2, 3}
    for place in END_PLACES:
        for end in ("start", "end"):
            assert any(getattr(each, end) in places(each.height, each.width, place) for each in puzzles)


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_each_rule_alone_makes_puzzles(rule: Any) -> None:
    for seed in range(3):
        puzzle = generate(PuzzleSpec(rules=(rule,), height=(2, 3), width=(2, 3)), seed)
        # A ylop takes back what polyominoes cover.
        assert rules_of(puzzle) - {rule} <= ({"polyomino"} if rule == "ylop" else set())
        assert puzzle.solutions


@pytest.mark.parametrize("place", END_PLACES)
def test_ends_lie_where_the_spec_wants_them(place: Any) -> None:
    for seed in range(6):
        puzzle = generate(replace(SMALL, ends=(place,)), seed)
        assert {puzzle.start, puzzle.end} <= set(places(puzzle.height, puzzle.width, place))


def test_dots_gaps_sides_and_unique_solutions_are_as_asked_for() -> None:
    spec = PuzzleSpec(height=(4, 4), width=(2, 2), dots=(2, 2), gaps=(0, 1), max_solutions=1)
    for seed in range(6):
        puzzle = generate(spec, seed)
        assert (puzzle.height, puzzle.width, len(puzzle.dots)) == (4, 2, 2)
        assert len(puzzle.gaps) <= 1
        assert len(puzzle.solutions) == 1
    assert spec.largest == (4, 2)
    assert PuzzleSpec().largest == (6, 6)


def is_connected(cells: tuple[tuple[int, int], ...]) -> bool:
    """Whether all cells hang together by their sides."""
    seen = {cells[0]}
    for _ in cells:
        seen |= {(row + down, col + right) for row, col in seen for down, right in STEPS} & set(cells)
    return len(seen) == len(cells)


def test_shapes_are_connected_unless_the_spec_says_otherwise() -> None:
    spec = PuzzleSpec(rules=("polyomino",), height=(2, 4), width=(2, 4))
    some = [generate(spec, seed) for seed in range(EASY)]
    assert all(is_connected(cells) for puzzle in some for _, cells in puzzle.shapes)
    loose = [generate(replace(spec, connected=False), seed) for seed in range(EASY)]
    assert not all(is_connected(cells) for puzzle in loose for _, cells in puzzle.shapes)


@pytest.mark.slow
def test_boards_beyond_the_public_sizes_can_be_made() -> None:
    puzzle = generate(PuzzleSpec(height=(7, 7), width=(7, 7), level=5), 1)
    assert (puzzle.height, puzzle.width) == (7, 7)
    assert all(judge(puzzle, path).ok for path in puzzle.solutions)


def test_long_thin_boards_can_be_made() -> None:
    puzzle = generate(PuzzleSpec(height=(2, 2), width=(MAX_SIDE, MAX_SIDE)), 0)
    assert all(judge(puzzle, path).ok for path in puzzle.solutions)


def test_a_spec_that_cannot_be_met_says_how_often_what_went_wrong() -> None:
    with pytest.raises(GenerationFailed, match="no puzzle after 400 attempts") as caught:
        generate(PuzzleSpec(level=4, height=(2, 2), width=(2, 2)), 0)
    assert sum(caught.value.reasons.values()) == 400
    assert "too easy for the level" in caught.value.reasons
    assert '"level": 4' in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (str(again), again.reasons) == (str(caught.value), caught.value.reasons)


@pytest.mark.parametrize(
    "fields",
    [
        {"level": 0},
        {"level": 6},
        {"level": True},
        {"height": (1, 3)},
        {"height": (3, 2)},
        {"width": (2, MAX_SIDE + 1)},
        {"width": 3},
        {"rules": ()},
        {"rules": ("nega",)},
        {"rules": "dot"},
        {"ends": ("inside",)},
        {"max_solutions": 0},
        {"dots": (-1, 2)},
        {"gaps": (2,)},
        {"connected": 1},
    ],
)
def test_wrong_specs_are_refused_by_field(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match=f"^{next(iter(fields))} must be"):
        PuzzleSpec(**fields)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0"])
def test_wrong_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(InvalidArgument, match="seed must be"):
        generate(SMALL, seed)


def test_a_spec_reads_from_json() -> None:
    spec = PuzzleSpec.from_dict({"level": 2, "height": [2, 4], "rules": ["dot", "star"]})
    assert spec == PuzzleSpec(level=2, height=(2, 4), rules=("dot", "star"))
    with pytest.raises(InvalidArgument, match="among level, height"):
        PuzzleSpec.from_dict({"size": 3})


@given(SEEDS, st.integers(2, 5), st.integers(2, 5))
def test_lines_lead_from_start_to_end_and_visit_enough_nodes(seed: int, height: int, width: int) -> None:
    dice = RandomStream(seed)
    start, end = (0, 0), (2 * height, 2 * width)
    path = draw_line(dice, height, width, start, end, 4)
    if path is not None:
        assert judge(Puzzle("line", height, width, start, end), path).ok
        assert sum(not (row % 2 or col % 2) for row, col in path) >= 4


@given(SEEDS, boards.shapes(4, 4, 12))
def test_regions_are_cut_into_shapes_that_records_can_hold(
    seed: int, cells: tuple[tuple[int, int], ...]
) -> None:
    for connected in (False, True):
        pieces = cut(RandomStream(seed), cells, connected=connected)
        assert sorted(cell for piece in pieces for cell in piece) == sorted(cells)
        assert all(max(extent(piece)) <= SIDE and len(piece) <= 5 for piece in pieces)
        assert not connected or all(map(is_connected, pieces))
        assert all(0 < shape_id(piece) < 1 << SIDE * SIDE for piece in pieces)


@given(SEEDS)
def test_dice_are_fair_enough_and_depend_on_all_words(seed: int) -> None:
    dice = RandomStream(seed, 1)
    drawn = Counter(dice.below(4) for _ in range(2000))
    assert set(drawn) == {0, 1, 2, 3}
    assert all(abs(count - 500) < 120 for count in drawn.values())
    assert sorted(dice.shuffled(range(9))) == list(range(9))
    assert 0 <= dice.share() < 1
    assert {dice.weighted("ab", (0, 3)) for _ in range(20)} == {"b"}
    others = [RandomStream(seed, word).below(1 << 32) for word in range(5)] + [
        RandomStream(seed + 1, 0).below(1 << 32)
    ]
    assert len(set(others)) == len(others)
