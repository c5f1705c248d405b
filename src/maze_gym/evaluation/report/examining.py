"""Every episode of some runs played once more: diagnosed, filmed, and put beside what a model said."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.contenders import Contender, contenders
from maze_gym.evaluation.analysis.diagnosis import Reviewer
from maze_gym.evaluation.analysis.evidence import Talk
from maze_gym.evaluation.report.frames import CELL_PX, Atlas, Film
from maze_gym.evaluation.report.replays import packed
from maze_gym.game import EpisodeSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from maze_gym.evaluation.analysis.diagnosis import Diagnosis
    from maze_gym.evaluation.result import EpisodeResult
    from maze_gym.evaluation.storage.run_reading import Run

DEFAULT_REPLAYS = 1_000  # of one page: some 3 MB, open in a second


@dataclass
class Material:
    """What a report is made of.

    Attributes:
        runs: the runs.
        contenders: their policies, every episode with its diagnosis and talk.
        atlas: the tiles of all replays.
        replays: packed replays by (place among the contenders, number of the episode there).
        action_names: of the world of each contender.
        wasted_calls: calls of models whose episode never ended: paid for, and part of no number.
        mismatches: episodes that do not replay as recorded, with the reason.
    """

    runs: Sequence[Run]
    contenders: list[Contender]
    atlas: Atlas
    replays: dict[tuple[int, int], str] = field(default_factory=dict)
    action_names: list[tuple[str, ...]] = field(default_factory=list)
    wasted_calls: int = 0
    mismatches: list[str] = field(default_factory=list)


def examine(
    runs: Sequence[Run],
    *,
    replays: int = DEFAULT_REPLAYS,
    cell_px: int = CELL_PX,
    on_episode: Callable[[], None] | None = None,
) -> Material:
    """Review every episode of some runs.

    Args:
        runs: at least one.
        replays: how many episodes are filmed; those with low numbers first, so that contenders are filmed on
            the same levels. All of them are diagnosed.
        cell_px: pixels a cell of the films.
        on_episode: called after each episode.

    Raises:
        InvalidArgument: there is nothing to examine, or a run's episodes cannot be replayed.
    """
    found = contenders(runs)
    if not any(contender.episodes for contender in found):
        msg = (
            f"no episode has ended in {', '.join(str(run.path) for run in runs)}; there is nothing to report"
        )
        raise InvalidArgument(msg)
    material = Material(runs, [], Atlas(cell_px))
    filmed = _filmed(found, replays)
    reviewer = Reviewer()
    places = iter(enumerate(found))
    try:
        for run in runs:
            mine = [next(places) for _ in run.policies]
            wanted = {
                (each.policy, index)
                for place, each in mine
                for index in each.indices
                if (place, index) in filmed
            }
            source = _Source(run, _said(run, wanted), wanted, reviewer, on_episode)
            material.wasted_calls += sum(call.is_abandoned for call in run.calls())
            for place, contender in mine:
                material.contenders.append(_examined(material, place, contender, source))
                material.action_names.append(reviewer.action_names(str(run.config["env_id"])))
    finally:
        reviewer.close()
    return material


class _Source(NamedTuple):
    """A run while it is examined.

    Attributes:
        run: the run.
        said: by (policy, index) what was asked, counted, and the words of it, squeezed.
        wanted: the episodes that are filmed.
        reviewer: plays them.
        on_episode: called after each.
    """

    run: Run
    said: Mapping[tuple[str, int], tuple[Talk, bytes]]
    wanted: Collection[tuple[str, int]]
    reviewer: Reviewer
    on_episode: Callable[[], None] | None


def _examined(material: Material, place: int, contender: Contender, source: _Source) -> Contender:
    """A contender with its episodes diagnosed; films and mismatches go into the material."""
    outcomes = [each for each in source.run.episodes if each.episode.policy == contender.policy]
    evidence = []
    for number, (outcome, known) in enumerate(zip(outcomes, contender.episodes, strict=True)):
        film = Film(material.atlas) if outcome.key in source.wanted else None
        talk, queries = source.said.get(outcome.key, (None, b""))
        diagnosis = _diagnosed(source.reviewer, source.run, outcome, film)
        if film is not None and diagnosis is not None:
            material.replays[place, number] = packed(diagnosis, film, _unsqueezed(queries))
        if diagnosis is not None and diagnosis.mismatch:
            title = f"{contender.label}, episode {outcome.index} ({outcome.episode.level_id})"
            material.mismatches.append(f"{title}: {diagnosis.mismatch}")
        evidence.append(known._replace(diagnosis=diagnosis, talk=talk))
        if source.on_episode is not None:
            source.on_episode()
    return replace(contender, episodes=tuple(evidence))


def _filmed(found: Sequence[Contender], replays: int) -> set[tuple[int, int]]:
    """(place, index) of the episodes with the lowest indices: the same of everybody as far as they go."""
    every = [(index, place) for place, contender in enumerate(found) for index in contender.indices]
    return {(place, index) for index, place in sorted(every)[:replays]}


def _said(run: Run, wanted: Collection[tuple[str, int]]) -> dict[tuple[str, int], tuple[Talk, bytes]]:
    """What models were asked, counted; the words, squeezed, of the episodes that are shown.

    Prompts repeat themselves: squeezed they need a twentieth, and a run has many.
    """
    found = {}
    for index, record in run.transcripts():
        key = (record.episode.policy, index)
        words = zlib.compress(json.dumps(record.queries).encode()) if key in wanted else b""
        found[key] = (Talk.of(record.queries), words)
    return found


def _unsqueezed(words: bytes) -> list[dict[str, Any]]:
    queries: list[dict[str, Any]] = json.loads(zlib.decompress(words)) if words else []
    return queries


def _diagnosed(reviewer: Reviewer, run: Run, outcome: EpisodeResult, film: Film | None) -> Diagnosis | None:
    """None where the run does not hold the level."""
    level = run.levels.get(outcome.level)
    if level is None:
        return None
    recipe = EpisodeSpec(level.recipe["make"], level.recipe["reset"])
    return reviewer.review(outcome.episode, recipe, None if film is None else film.see)
