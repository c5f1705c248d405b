"""Everybody who has played the same levels in one table: people, trained policies, models and references."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maze_gym.errors import InvalidArgument, LevelsNotFound, UnreadableFile
from maze_gym.evaluation.analysis.contenders import Contender, contenders, folder_names, kind_of
from maze_gym.evaluation.analysis.evidence import Evidence
from maze_gym.evaluation.analysis.measures import measure
from maze_gym.evaluation.analysis.metrics import success_rate
from maze_gym.evaluation.episode import EpisodeRecord
from maze_gym.evaluation.storage import run_folder
from maze_gym.evaluation.storage.run_reading import read_run
from maze_gym.game import Disguise
from mazegen.core.bounded_files import bounded_lines
from mazegen.core.file_errors import close_path

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from maze_gym.evaluation.analysis.statistics import Rate

LINES = ".jsonl"


class Row(NamedTuple):
    """One contender on one set of levels.

    Attributes:
        label: who.
        kind: person, language model, trained policy or reference.
        run: path of its folder or file, as commands take it.
        rate: of success, with interval.
        spl: success weighted by optimal / taken actions; None without known optima.
        steps_over_optimal: of the successes; None likewise.
        unscored: episodes without a verdict.
        is_finished: whether all planned episodes have ended.
    """

    label: str
    kind: str
    run: str
    rate: Rate
    spl: float | None
    steps_over_optimal: float | None
    unscored: int
    is_finished: bool


class Board(NamedTuple):
    """Those who have played the same levels.

    Attributes:
        env_id: the world.
        levels: how many levels.
        name: first digits of the hash over the levels as they are.
        rows: the best first; who has played fewer of the levels comes after all who have played more.
    """

    env_id: str
    levels: int
    name: str
    rows: tuple[Row, ...]


def leaderboard(folder: str | os.PathLike[str]) -> list[Board]:
    """One board for each set of levels that runs below a folder have played.

    Recordings of people (``maze-gym play --record``) stand on every board of their world of which they have
    played a level, with those levels alone.

    Raises:
        LevelsNotFound: there is neither a run nor a recording.
        InvalidArgument: a file of a run is broken.
    """
    root = Path(folder)
    if not root.is_dir() and not root.is_file():
        close = close_path(root)
        hint = "" if close is None else f"; did you mean {str(close)!r}?"
        msg = f"there is no folder {str(root)!r}; give the one where runs and recordings are{hint}"
        raise LevelsNotFound(msg)
    runs = [read_run(path.parent) for path in sorted(root.rglob(run_folder.CONFIG)) if _is_run(path)]
    places = dict(zip(folder_names(runs), (str(run.path) for run in runs), strict=True))
    found = [replace(each, run=places[each.run]) for each in contenders(runs)]
    people = list(_people(root, {run.path.resolve() for run in runs}))
    if not found and not people:
        msg = f"{folder} holds neither runs (maze-gym evaluate --out) nor recordings (maze-gym play --record)"
        raise LevelsNotFound(msg)
    boards: dict[tuple[str, str], list[Contender]] = {}
    for each in found:
        key = (str(each.config["env_id"]), _level_set(each))
        boards.setdefault(key, []).append(each)
    for person in people:
        _seat(person, boards)
    return [_board(env_id, name, players) for (env_id, name), players in sorted(boards.items())]


def _is_run(config: Path) -> bool:
    try:
        return run_folder.read_object(config).get("format") == run_folder.FORMAT
    except InvalidArgument:
        return False  # somebody else's config.json


def _level_set(each: Contender) -> str:
    """The set by its hash; generated levels are the same for the same arguments and seed.

    Levels in disguise are left aside, as in the rows: a run with them has played the same levels as one
    without, whose ``level_set`` this is.
    """
    config = each.config
    if config["generated"] is None:
        return run_folder.level_set_hash(
            content for name, content in config["levels"] if Disguise.of(name)[1] is None
        )
    return f"generated {json.dumps(config['generated'], sort_keys=True)} seed {config['seed']}"


def _people(root: Path, runs: set[Path]) -> Iterator[Contender]:
    """Files of episode records that belong to no run, one contender for each policy named in them."""
    for path in sorted(root.rglob(f"*{LINES}")):
        if path.parent.resolve() in runs:
            continue
        by_world: dict[tuple[str, str], list[Evidence]] = {}
        for record in _records(path):
            by_world.setdefault((record.env_id, record.policy), []).append(Evidence(record))
        for (env_id, policy), episodes in by_world.items():
            yield Contender(
                label=f"{policy} @ {path.stem}",
                policy=policy,
                kind=kind_of(policy),
                run=str(path),
                config={"env_id": env_id},
                episodes=tuple(episodes),
                indices=tuple(range(len(episodes))),
                planned=len(episodes),
            )


def _records(path: Path) -> list[EpisodeRecord]:
    """The records of a file; none if it holds anything else, for a folder may hold all sorts of lines."""
    try:
        with path.open("rb") as lines:
            return [
                EpisodeRecord.from_json(line.decode("utf-8"))
                for line in bounded_lines(lines, str(path))
                if line.strip()
            ]
    except (InvalidArgument, UnreadableFile, UnicodeDecodeError):
        return []


def _seat(person: Contender, boards: dict[tuple[str, str], list[Contender]]) -> None:
    """Put a person on every board whose levels the person knows; on one of its own without any."""
    env_id = str(person.config["env_id"])
    seated = False
    for (board_env, _), players in list(boards.items()):
        levels = {each.cluster for player in players for each in player.plain}
        mine = tuple(each for each in person.episodes if each.cluster in levels)
        if board_env == env_id and mine:
            players.append(
                Contender(
                    person.label,
                    person.policy,
                    person.kind,
                    person.run,
                    person.config,
                    mine,
                    tuple(range(len(mine))),
                    len(mine),
                )
            )
            seated = True
    if not seated:
        boards[env_id, f"recording {person.run}"] = [person]


def _board(env_id: str, name: str, players: Sequence[Contender]) -> Board:
    levels = {each.cluster for player in players for each in player.plain}
    rows = []
    for player in players:
        episodes = player.plain
        rate = success_rate(episodes)
        rows.append(
            Row(
                player.label,
                str(player.kind),
                player.run,
                rate,
                measure("spl", episodes).value,
                measure("steps_over_optimal", episodes).value,
                len(episodes) - rate.trials,
                len(player.episodes) >= player.planned,
            )
        )
    rows.sort(key=lambda row: (-row.rate.clusters, -(row.rate.rate or 0), -(row.spl or 0), row.label))
    short = name if " " in name else name[:12]
    return Board(env_id, len(levels), short, tuple(rows))
