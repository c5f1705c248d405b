"""What cannot be is refused before a layout is tried, and nothing that can be ever is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazegen.datasets.filling import BLOCK, generate_dataset
from mazegen.errors import GenerationFailed, ImpossibleSpec, TooFewMazes
from mazegen.generation.feasibility import check_possible, most_mazes
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import DenseMaze, Distractors, MazeGenSpec, Topology
from mazegen.generation.spec_options import in_short
from mazegen.generation.tiers import sample_spec

if TYPE_CHECKING:
    from pathlib import Path

TINY = MazeGenSpec(Topology.DENSE_MAZE, rows=5, cols=5)


def test_more_mazes_than_counting_allows_are_refused_before_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(
        TooFewMazes, match=r"no 500 different mazes: .* at most 168 .*raise rows or cols"
    ) as caught:
        generate_dataset(tmp_path / "out", 500, spec=TINY)
    assert not (tmp_path / "out").exists()
    assert str(caught.value).endswith('spec {"topology": "dense_maze", "rows": 5, "cols": 5}')


def test_a_data_set_gives_up_when_hardly_anything_new_is_to_be_expected(tmp_path: Path) -> None:
    with pytest.raises(TooFewMazes, match=r"only 1 different mazes of 100 after (\d+) candidates") as caught:
        generate_dataset(tmp_path, 100, spec=TINY)
    assert sum(caught.value.reasons.values()) < 8 * BLOCK
    with pytest.raises(TooFewMazes) as again:  # of the same bytes, whoever makes them, and at once
        generate_dataset(tmp_path, 100, spec=TINY, workers=2)
    assert again.value.reasons == caught.value.reasons


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (MazeGenSpec(Topology.DENSE_MAZE, "ksksk", 5, 5), "raise rows or cols, shorten chain"),
        (
            MazeGenSpec(Topology.SIDE_VAULT, rows=5, cols=6, distractors=Distractors(wrong_keys=15)),
            "take 17 cells",
        ),
        (MazeGenSpec(Topology.MULTI_ROUTE, "kk", optimal_actions=(1, 4)), "chain of 2 steps takes 5 or more"),
        (
            MazeGenSpec(Topology.MULTI_ROUTE, rows=9, cols=9, optimal_actions=(400, 500)),
            "asks for 400 at least",
        ),
        (
            MazeGenSpec(Topology.DENSE_MAZE, rows=7, cols=7, params=DenseMaze(loops=50)),
            "lower loops from 50 to 4",
        ),
        (
            MazeGenSpec(Topology.DENSE_MAZE, rows=5, cols=7, distractors=Distractors(dead_end_rooms=5)),
            "leave 1",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_parameter_to_change(
    spec: MazeGenSpec, message: str, tmp_path: Path
) -> None:
    for refused in (lambda: generate(spec, 0), lambda: generate_dataset(tmp_path / "out", 1, spec=spec)):
        with pytest.raises(ImpossibleSpec, match=message) as caught:
            refused()
        assert isinstance(caught.value, GenerationFailed)
        assert in_short(spec) in str(caught.value)
    assert not (tmp_path / "out").exists()


@given(st.integers(0, 2**32))
def test_no_spec_of_a_tier_is_refused(seed: int) -> None:
    spec = sample_spec(np.random.default_rng(seed))
    check_possible(spec)
    assert most_mazes(spec) > 10**6


small_specs = st.builds(
    MazeGenSpec,
    topology=st.sampled_from(Topology),
    chain=st.sampled_from(("none", "k", "s", "ks")),
    rows=st.integers(5, 8),
    cols=st.integers(5, 8),
    distractors=st.builds(Distractors, wrong_keys=st.integers(0, 2), dead_end_rooms=st.integers(0, 1)),
)


@given(small_specs)
def test_what_can_be_made_is_never_refused_and_never_counted_short(spec: MazeGenSpec) -> None:
    made = set()
    for seed in range(10):
        try:
            made.add(generate(spec, seed, max_attempts=20).content_hash)
        except ImpossibleSpec:
            assert not made
        except GenerationFailed:
            continue
    assert len(made) <= most_mazes(spec)


@pytest.mark.parametrize("side", [(5, 5), (5, 6), (6, 6), (5, 7)])
def test_no_more_mazes_are_found_on_a_tiny_board_than_counting_allows(side: tuple[int, int]) -> None:
    for chain in ("none", "s"):
        spec = MazeGenSpec(Topology.DENSE_MAZE, chain, *side)
        made = set()
        for seed in range(200):
            try:
                made.add(generate(spec, seed, max_attempts=5).content_hash)
            except GenerationFailed:
                continue
        assert 1 <= len(made) <= most_mazes(spec)


@given(st.integers(0, 2**32))
def test_a_spec_in_short_is_the_same_spec(seed: int) -> None:
    spec = sample_spec(np.random.default_rng(seed))
    assert MazeGenSpec.from_json(in_short(spec)) == spec
    assert len(in_short(spec)) < len(spec.to_json())
