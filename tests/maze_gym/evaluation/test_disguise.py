"""The same levels turned, mirrored, in other colours and under other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maze_gym.envs.maze.levels.disguise import disguise
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation import make_plan, play
from maze_gym.evaluation.disguise import parse_disguises, with_disguises
from maze_gym.evaluation.plan import choose_levels
from maze_gym.game import Disguise, Level, LevelSet
from maze_gym.registration import WORLDS
from mazegen import codec
from mazegen.core import declared, rules
from mazegen.search import solver
from mazegen.validation import validator

from ...strategies import mazes
from ...test_docs import DOCS
from ..levels import ALL_KINDS, CORRIDOR, TALL
from .played_runs import level_folder

if TYPE_CHECKING:
    from pathlib import Path

    from mazegen.core.maze import Maze


def level_set(*chosen: Maze) -> LevelSet:
    levels = tuple(Level(maze.level_id, maze.content_hash, {"maze": maze}) for maze in chosen)
    return LevelSet(levels, (), {"mazes": list(chosen)})


@given(mazes(), st.sampled_from(Disguise), st.integers(0, 2**32))
def test_no_disguise_changes_the_optimum_and_each_can_be_filed(maze: Maze, kind: Disguise, seed: int) -> None:
    try:
        found = disguise(level_set(maze), kind, [np.random.default_rng(seed)])
    except InvalidArgument:
        assert kind in {Disguise.RECOLOUR, Disguise.RENAME}
        return
    changed: Maze = found.levels[0].options["maze"]
    assert codec.loads(codec.dumps(changed)) == changed
    plans = [solver.shortest_plan(rules.compile_board(each)) for each in (maze, changed)]
    lengths = {None if plan is None else len(plan) for plan in plans}
    assert len(lengths) == 1
    assert Disguise.of(changed.level_id) == (maze.level_id, kind)


def test_colours_all_change_and_names_all_change() -> None:
    generator = np.random.default_rng(0)
    recoloured = disguise(level_set(ALL_KINDS), Disguise.RECOLOUR, [generator]).levels[0].options["maze"]
    assert all(new.color != old.color for new, old in zip(recoloured.keys, ALL_KINDS.keys, strict=True))
    renamed = disguise(level_set(ALL_KINDS), Disguise.RENAME, [generator]).levels[0].options["maze"]
    assert not {each.id for each in renamed.mechanisms} & {each.id for each in ALL_KINDS.mechanisms}
    assert renamed.content_hash == ALL_KINDS.content_hash  # names are no part of what is played


def test_proofs_hold_under_every_disguise_of_the_bundled_levels() -> None:
    chosen = choose_levels("MazeNLU-v0", "smoke")
    found = with_disguises("MazeNLU-v0", chosen, tuple(Disguise))
    for level in found.levels[len(chosen.levels) :]:
        maze = level.options["maze"]
        if maze.validation is not None:
            assert solver.solve(maze).cell_moves == maze.validation.optimal_cost
            assert validator.validate(maze).passed
            assert declared.read(maze).steps or not maze.mechanisms


def test_levels_come_as_they_are_first_and_then_in_each_disguise() -> None:
    found = with_disguises("MazeNLU-v0", level_set(ALL_KINDS, CORRIDOR), (Disguise.MIRROR, Disguise.RECOLOUR))
    names = [level.level_id for level in found.levels]
    assert names == [
        "all_kinds",
        "corridor",
        "all_kinds ~ mirror",
        "corridor ~ mirror",
        "all_kinds ~ recolour",
    ]
    assert len(found.env_kwargs["mazes"]) == 5


def test_the_same_seed_disguises_alike_and_another_one_does_not() -> None:
    def hashes(seed: int) -> list[str]:
        levels = level_set(*[ALL_KINDS] * 8)
        found = with_disguises("MazeNLU-v0", levels, (Disguise.ROTATE, Disguise.RECOLOUR), seed)
        return [level.content_hash for level in found.levels]

    assert hashes(1) == hashes(1) != hashes(2)


def test_an_env_made_for_the_disguises_can_play_each_of_them(tmp_path: Path) -> None:
    folder = level_folder(tmp_path / "levels", [TALL, CORRIDOR])
    chosen = with_disguises("MazeNLU-v0", choose_levels("MazeNLU-v0", folder), (Disguise.ROTATE,), 3)
    run = make_plan(["oracle"], levels=folder)._replace(
        levels=chosen.levels, env_kwargs=chosen.env_kwargs, episodes=len(chosen.levels)
    )
    records = list(play(run))
    assert [record.success for record in records] == [True] * 4
    assert [record.steps for record in records[:2]] == [record.steps for record in records[2:]]


@pytest.mark.parametrize(
    ("wanted", "advice"), [(4, "got 4: take 3 or 6"), (8, "got 8: take 6 or 9"), (5, "at most the 3 levels")]
)
def test_more_episodes_than_levels_are_all_levels_again_or_refused(
    tmp_path: Path, wanted: int, advice: str
) -> None:
    folder = level_folder(tmp_path / "levels", [TALL, CORRIDOR, ALL_KINDS])
    with pytest.raises(InvalidArgument, match=advice):
        make_plan(["oracle"], levels=folder, episodes=wanted, augment=(Disguise.ROTATE,))


@pytest.mark.parametrize(("wanted", "played"), [(None, 6), (1, 2), (2, 4), (3, 6), (6, 12), (9, 18)])
def test_each_level_is_played_as_often_as_its_disguise(
    tmp_path: Path, wanted: int | None, played: int
) -> None:
    folder = level_folder(tmp_path / "levels", [TALL, CORRIDOR, ALL_KINDS])
    run = make_plan(["oracle"], levels=folder, episodes=wanted, augment=(Disguise.ROTATE,))
    assert run.episodes == played


def test_a_world_without_disguises_says_so() -> None:
    with pytest.raises(InvalidArgument, match=r"PacmanArray-v0 has no disguises"):
        with_disguises("PacmanArray-v0", choose_levels("PacmanArray-v0"), (Disguise.ROTATE,))


def test_generated_levels_and_levels_without_anything_to_change_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="a fixed set of levels"):
        with_disguises("MazeNLU-v0", LevelSet((), (), {}), (Disguise.ROTATE,))
    with pytest.raises(InvalidArgument, match="none of the 1 levels has anything that recolour could change"):
        with_disguises("MazeNLU-v0", level_set(CORRIDOR), (Disguise.RECOLOUR,))


def test_disguises_are_named_in_a_list() -> None:
    assert parse_disguises("rotate, mirror,rotate") == (Disguise.ROTATE, Disguise.MIRROR)
    assert parse_disguises("") == ()
    with pytest.raises(
        InvalidArgument, match=r"no disguise 'flip'; there are: rotate, mirror, recolour, rename"
    ):
        parse_disguises("rotate,flip")


def test_names_that_only_look_like_disguises_are_levels() -> None:
    assert Disguise.of("a ~ b") == ("a ~ b", None)
    assert Disguise.of(" ~ mirror") == (" ~ mirror", None)
    assert Disguise.of(Disguise.MIRROR.name_of("a ~ b")) == ("a ~ b", Disguise.MIRROR)


def test_the_page_names_the_worlds_that_have_disguises() -> None:
    having = [world.id.partition("-")[0] for world in WORLDS if world.disguise]
    words = " ".join((DOCS / "read-a-report.md").read_text(encoding="utf-8").split())
    assert f"Levels of {' and '.join(having)} alone have disguises" in words
