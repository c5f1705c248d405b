"""Specs: they check themselves, survive JSON, and are drawn from the ranges of their tier."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mazegen.core.randomness import derive_seed, stream
from mazegen.generation.spec import (
    PARAMS,
    DenseMaze,
    Distractors,
    MazeGenSpec,
    MultiRoute,
    SequentialChain,
    SideVault,
    Topology,
    WindingCorridor,
    normal_chain,
)
from mazegen.generation.tiers import TIERS, sample_spec

from ...strategies import json_values


@given(seed=st.integers(0, 2**32), tier=st.sampled_from(sorted(TIERS)))
def test_a_spec_survives_json(seed: int, tier: int) -> None:
    spec = sample_spec(np.random.default_rng(seed), tier)
    assert MazeGenSpec.from_json(spec.to_json()) == spec
    assert json.loads(spec.to_json()) == spec.to_dict()


@pytest.mark.parametrize("topology", list(Topology))
def test_params_default_to_those_of_the_topology(topology: Topology) -> None:
    spec = MazeGenSpec(topology)
    assert spec.params == PARAMS[topology]()
    assert MazeGenSpec.from_dict({"topology": str(topology)}) == spec


@pytest.mark.parametrize(
    ("given_chain", "expected"),
    [("kd", "k"), ("sg", "s"), ("none", "none"), ("", "none"), ("ks", "ks"), ("ksk", "ksk")],
)
def test_the_short_names_of_older_specs_are_taken(given_chain: str, expected: str) -> None:
    assert MazeGenSpec(Topology.DENSE_MAZE, given_chain).chain == expected


@pytest.mark.parametrize("chain", ["x", "kx", "None", 3, None, ["k"]])
def test_a_chain_of_anything_else_is_refused(chain: Any) -> None:
    with pytest.raises(ValueError, match="chain must be"):
        normal_chain(chain)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topology": "spiral"}, "topology must be one of"),
        ({"rows": 4}, "spec.rows must be an integer from 5 to 128, got 4"),
        ({"cols": 129}, "spec.cols"),
        ({"rows": 12.0}, "spec.rows"),
        ({"rows": True}, "spec.rows"),
        ({"seed": -1}, "spec.seed"),
        ({"tier": 0}, "spec.tier"),
        ({"one_shot": 1}, "one_shot must be true or false"),
        ({"one_shot": True}, "one_shot needs a chain with a switch"),
        ({"optimal_actions": (0, 5)}, r"optimal_actions\[0\]"),
        ({"optimal_actions": (9, 5)}, r"optimal_actions\[1\]"),
        ({"params": SideVault()}, "params of dense_maze must be DenseMaze, got SideVault"),
        (
            {"distractors": {"wrong_keys": 1}},
            r"spec.distractors must be Distractors.*from_dict takes dicts",
        ),
        ({"distractors": None}, r"spec.distractors must be Distractors\(...\), got None"),
        ({"chain": "k" * 20, "distractors": Distractors(wrong_keys=1)}, "at most 20 keys"),
        ({"chain": "s" * 20, "distractors": Distractors(wrong_switches=1)}, "at most 20 switches"),
        (
            {"chain": "ks", "topology": "sequential_chain", "params": SequentialChain(rooms=2)},
            "at least 3 for chain",
        ),
    ],
)
def test_a_field_that_breaks_a_rule_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MazeGenSpec(**{"topology": "dense_maze", **fields})


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: WindingCorridor(turns=-1), "winding_corridor.turns"),
        (lambda: WindingCorridor(max_straight=0), "winding_corridor.max_straight"),
        (lambda: WindingCorridor(spur_length=-1), "winding_corridor.spur_length"),
        (lambda: MultiRoute(routes=0), "multi_route.routes"),
        (lambda: MultiRoute(wander=1.5), "multi_route.wander"),
        (lambda: SideVault(vault_depth=0), "side_vault.vault_depth"),
        (lambda: SideVault(vault_side="up"), "side_vault.vault_side"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: SequentialChain(rooms=1), "sequential_chain.rooms"),
        (lambda: SequentialChain(room_size=0), "sequential_chain.room_size"),
        (lambda: DenseMaze(loops=-1), "dense_maze.loops"),
        (lambda: DenseMaze(coverage=0.0), "dense_maze.coverage"),
        (lambda: DenseMaze(branching=float("nan")), "dense_maze.branching"),
        (lambda: Distractors(wrong_keys=-1), "distractors.wrong_keys"),
        (lambda: Distractors(traps=1), "distractors.traps"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: Distractors(traps=True), "needs wrong_switches"),
    ],
)
def test_parameters_check_their_ranges(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "spec.topology is missing"),
        ({"topology": "dense_maze", "chian": "k"}, "did you mean 'chain'"),
        ({"topology": "dense_maze", "params": {"lops": 1}}, "did you mean 'loops'"),
        ({"topology": "dense_maze", "params": 3}, "params must be an object"),
        ({"topology": "dense_maze", "distractors": {"zzz": 1}}, "known: wrong_keys"),
    ],
)
def test_json_with_an_unknown_field_is_refused_with_a_hint(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MazeGenSpec.from_dict(values)


FIELDS = [each.name for each in dataclasses.fields(MazeGenSpec)]


PARTS = {
    "distractors": [each.name for each in dataclasses.fields(Distractors)],
    "params": [each.name for kind in PARAMS.values() for each in dataclasses.fields(kind)],
}


@given(
    topology=st.sampled_from(Topology).map(str),
    fields=st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=2),
    name=st.sampled_from([(part, name) for part, names in PARTS.items() for name in names]),
    value=json_values,
)
@example("dense_maze", {"optimal_actions": 5}, ("params", "loops"), None)
@example("dense_maze", {"optimal_actions": [1, 2, 3]}, ("params", "loops"), None)
def test_json_that_is_no_spec_is_a_value_error(
    topology: str, fields: dict[str, Any], name: tuple[str, str], value: Any
) -> None:
    for values in (
        fields,
        {"topology": topology} | fields,
        {"topology": topology, name[0]: {name[1]: value}},
    ):
        with contextlib.suppress(ValueError):
            assert MazeGenSpec.from_dict(values).to_dict()
    with contextlib.suppress(ValueError):
        MazeGenSpec.from_dict(value)


@pytest.mark.parametrize("text", ["5", "[1, 2, 3]", "[]", "null, null]", "{}"])
def test_a_range_is_two_integers(text: str) -> None:
    with pytest.raises(ValueError, match=r"optimal_actions|Expecting|Extra"):
        MazeGenSpec.from_json(f'{{"topology": "dense_maze", "optimal_actions": {text}}}')


def test_a_spec_that_is_nested_without_end_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="a spec is nested too deeply"):
        MazeGenSpec.from_json('{"topology": ' + "[" * 100_000)


@pytest.mark.parametrize("tier", sorted(TIERS))
def test_a_tier_keeps_to_its_ranges_and_uses_them(tier: int) -> None:
    rng = np.random.default_rng((tier, 1))
    specs = [sample_spec(rng, tier) for _ in range(300)]
    ranges = TIERS[tier]
    for value, ends in (
        (lambda spec: spec.rows, ranges.sides),
        (lambda spec: spec.cols, ranges.sides),
        (lambda spec: len(spec.steps), ranges.steps),
        (lambda spec: spec.distractors.count, ranges.distractors),
    ):
        found = {value(spec) for spec in specs}
        assert (min(found), max(found)) == ends
    assert {spec.optimal_actions for spec in specs} == {ranges.optimal_actions}
    assert {spec.topology for spec in specs} == set(Topology)
    assert {spec.tier for spec in specs} == {tier}


def test_specs_of_all_tiers_are_drawn_when_none_is_named() -> None:
    rng = np.random.default_rng(3)
    assert {sample_spec(rng).tier for _ in range(200)} == set(TIERS)
    assert sample_spec(rng, topology="side_vault").topology is Topology.SIDE_VAULT


def test_an_unknown_tier_is_refused() -> None:
    with pytest.raises(ValueError, match="tier must be one of 1, 2, 3, 4, 5, got 6"):
        sample_spec(np.random.default_rng(0), 6)


def test_streams_depend_on_every_word_and_its_place() -> None:
    words = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), ("a", 1), (11,), (1, 1)]
    assert len({tuple(stream(*each)) for each in words}) == len(words)
    assert len({derive_seed(*each) for each in words}) == len(words)
    assert all(0 <= derive_seed(7, index) < 2**53 for index in range(100))
    assert tuple(stream("maze", 5)) == tuple(stream("maze", 5))


def test_names_say_what_is_special() -> None:
    spec = MazeGenSpec(Topology.DENSE_MAZE, "ks", distractors=Distractors(wrong_keys=1, decoy_chains=1))
    assert spec.name == "dense_maze-ks-d2"
    assert MazeGenSpec(Topology.DENSE_MAZE).name == "dense_maze-none"
