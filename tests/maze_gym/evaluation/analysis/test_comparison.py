"""Contenders on the same levels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.ending import EndReason
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.comparison import (
    check_same_levels,
    compare_all,
    drops,
    level_difference,
    outcome,
    verdict,
)
from maze_gym.evaluation.analysis.contenders import Contender, Kind, contenders, kind_of
from maze_gym.evaluation.analysis.evidence import Evidence
from maze_gym.evaluation.analysis.statistics import mcnemar
from maze_gym.evaluation.disguise import with_disguises
from maze_gym.evaluation.episode import EpisodeRecord
from maze_gym.evaluation.plan import choose_levels, make_plan
from maze_gym.evaluation.run import play_run
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.game import Disguise
from maze_gym.llm.config import ExperimentConfig, Querying

from ...levels import ALL_KINDS, CORRIDOR, TALL, TRAP
from ..played_runs import level_folder, play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture(scope="module")
def everywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return level_folder(tmp_path_factory.mktemp("levels"), [ALL_KINDS, CORRIDOR, TALL, TRAP])


def test_two_policies_are_paired_level_by_level(tmp_path: Path, everywhere: Path) -> None:
    found = contenders([play(tmp_path / "run", ["oracle", "greedy"], everywhere)])
    (comparison,) = compare_all(found)
    solved = [each.is_success for each in found[1].plain]
    assert comparison.paired.pairs == 4
    assert comparison.paired.only_first == 4 - sum(solved)
    assert comparison.paired.p_value == mcnemar(4 - sum(solved), 0)
    assert comparison.adjusted_p == comparison.paired.p_value
    assert comparison.levels_needed is not None
    assert "oracle is ahead of greedy by" in verdict(comparison)
    assert "may be chance" in verdict(comparison)
    assert outcome(comparison) == "may be chance"


def test_equals_are_level(tmp_path: Path, everywhere: Path) -> None:
    (comparison,) = compare_all(contenders([play(tmp_path / "run", ["oracle", "oracle-chat"], everywhere)]))
    assert verdict(comparison) == "oracle and oracle-chat are level; 4 levels show no difference"
    assert comparison.levels_needed is None
    assert outcome(comparison) == "level"


def contender(label: str, shares: Sequence[Sequence[bool]]) -> Contender:
    """Somebody who has played levels as often as there are outcomes for each."""
    blank = EpisodeRecord("W-v0", label, "", "", None, EndReason.SUCCESS, None, 0, None, 0.0, (), ())
    episodes = tuple(
        Evidence(replace(blank, level_id=f"level {number}", success=success))
        for number, outcomes in enumerate(shares)
        for success in outcomes
    )
    return Contender(
        label, label, Kind.REFERENCE, "run", {}, episodes, tuple(range(len(episodes))), len(episodes)
    )


@given(st.data())
def test_the_same_shares_on_other_levels_are_level(data: st.DataObject) -> None:
    shares = data.draw(st.lists(st.lists(st.booleans(), min_size=1, max_size=10), min_size=2, max_size=8))
    shuffled = data.draw(st.permutations(shares))
    (comparison,) = compare_all([contender("one", shares), contender("two", shuffled)])
    assert (comparison.levels_needed, comparison.episodes_needed) == (None, None)
    assert outcome(comparison) == "level"
    assert "one and two are level" in verdict(comparison)


def test_tenths_that_add_up_to_the_same_are_level() -> None:
    def tenths(*solved: int) -> list[list[bool]]:
        return [[turn < each for turn in range(10)] for each in solved]

    (comparison,) = compare_all([contender("one", tenths(9, 1)), contender("two", tenths(7, 3))])
    assert comparison.paired.difference == 0
    assert comparison.levels_needed is None


def test_runs_over_different_levels_are_refused_and_the_difference_is_named(
    tmp_path: Path, everywhere: Path
) -> None:
    fewer = level_folder(tmp_path / "fewer", [CORRIDOR, TALL])
    runs = [play(tmp_path / "a", ["oracle"], everywhere), play(tmp_path / "b", ["oracle"], fewer)]
    first, second = contenders(runs)
    assert level_difference(first, second) == "2 of 4 levels only oracle @ a has played (all_kinds, trap)"
    with pytest.raises(InvalidArgument, match=r"the level sets differ: 2 of 4 .* compare .* with --common"):
        check_same_levels(first, second)
    (comparison,) = compare_all([first, second])
    assert comparison.paired.pairs == 2


def test_different_worlds_are_refused(tmp_path: Path, everywhere: Path) -> None:
    runs = [
        play(tmp_path / "a", ["greedy"], everywhere),
        play(tmp_path / "b", ["greedy"], env_id="PacmanArray-v0", episodes=1),
    ]
    with pytest.raises(InvalidArgument, match="different worlds: MazeNLU-v0 and PacmanArray-v0"):
        check_same_levels(*contenders(runs))


def test_labels_tell_equal_policies_of_equal_folders_apart(tmp_path: Path, everywhere: Path) -> None:
    runs = [play(tmp_path / name / "run", ["oracle"], everywhere) for name in ("a", "b")]
    assert [each.label for each in contenders(runs)] == ["oracle @ a/run", "oracle @ b/run"]
    assert [each.label for each in contenders(runs[:1])] == ["oracle"]


def test_how_models_were_asked_is_a_quality_of_their_episodes_alone(tmp_path: Path, everywhere: Path) -> None:
    run = play(
        tmp_path / "run",
        ["oracle", "oracle-chat"],
        everywhere,
        config=ExperimentConfig(querying=Querying.SUBGOAL),
    )
    oracle, chat = contenders([run])
    assert chat.kind == Kind.MODEL
    assert {each.tags["querying"] for each in chat.plain} == {"subgoal"}
    assert not any("querying" in each.tags for each in oracle.plain)


def test_disguises_are_compared_with_the_levels_behind_them(tmp_path: Path, everywhere: Path) -> None:
    levels = with_disguises("MazeNLU-v0", choose_levels("MazeNLU-v0", everywhere), (Disguise.MIRROR,))
    run = make_plan(["oracle"], levels=everywhere)._replace(
        levels=levels.levels, env_kwargs=levels.env_kwargs, episodes=len(levels.levels)
    )
    with RunFolder(tmp_path / "run", run) as folder:
        for played in play_run(run):
            folder.add(played)
    (contender,) = contenders([read_run(tmp_path / "run")])
    assert (len(contender.episodes), len(contender.plain), len(contender.disguised(Disguise.MIRROR))) == (
        8,
        4,
        4,
    )
    (drop,) = drops([contender])
    assert (drop.disguise, drop.paired.pairs, drop.paired.difference) == (Disguise.MIRROR, 4, 0.0)


def test_a_clear_difference_is_called_one(tmp_path: Path) -> None:
    (comparison,) = compare_all(contenders([play(tmp_path / "run", ["greedy", "oracle"], "smoke")]))
    assert outcome(comparison) == "oracle is better"
    assert verdict(comparison).startswith("oracle is better than greedy by")


@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        ("human+hint", Kind.PERSON),
        ("openai:some-model", Kind.MODEL),
        ("oracle-chat", Kind.MODEL),
        ("oracle", Kind.REFERENCE),
        ("ppo", Kind.LEARNED),
        ("sb3:runs/mine", Kind.LEARNED),
    ],
)
def test_names_say_what_sort_of_player_it_is(policy: str, kind: Kind) -> None:
    assert kind_of(policy) == kind


def test_whatever_spoke_in_a_run_is_a_model() -> None:
    assert kind_of("mine", is_model=True) == Kind.MODEL
