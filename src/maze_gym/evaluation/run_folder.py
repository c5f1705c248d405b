"""A run on disk: config first, then one line per finished episode, then the summary."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from maze_gym._version import __version__
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import EpisodeRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maze_gym.evaluation.evaluate import Plan
    from maze_gym.evaluation.metrics import Summary
    from maze_gym.evaluation.transcript import RunRecord


def describe(run: Plan) -> dict[str, Any]:
    """What a run's numbers depend on, ready for JSON; the level set is named by one hash."""
    hashes = "".join(level.content_hash for level in run.levels)
    return {
        "env_id": run.env_id,
        "policies": list(run.policies),
        "episodes": run.episodes,
        "seed": run.seed,
        "generated": None if run.levels else dict(run.env_kwargs),
        "level_set": hashlib.sha256(hashes.encode()).hexdigest(),
        "levels": [[level.level_id, level.content_hash] for level in run.levels],
        "skipped": [list(each) for each in run.skipped],
        "version": __version__,
        "experiment": None if run.config is None else run.config.to_dict(),
        "experiment_hash": None if run.config is None else run.config.content_hash,
    }


class RunFolder:
    """Writes a run; whatever stops the program, the episodes that have ended are on disk.

    Args:
        path: a folder without a run in it; it is made if it does not exist.
        run: the plan.

    Raises:
        InvalidArgument: the folder already holds a run.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, run: Plan) -> None:
        """Make the folder and write the config."""
        path.mkdir(parents=True, exist_ok=True)
        self._episodes = path / "episodes.jsonl"
        if self._episodes.exists():
            msg = f"{path} already holds a run (episodes.jsonl); choose another folder or remove it"
            raise InvalidArgument(msg)
        self._path = path
        (path / "config.json").write_text(json.dumps(describe(run), indent=2) + "\n", encoding="utf-8")
        self._episodes.touch()

    def add(self, record: EpisodeRecord) -> None:
        """Append one finished episode."""
        with self._episodes.open("a", encoding="utf-8") as file:
            file.write(record.to_json() + "\n")

    def add_transcript(self, record: RunRecord) -> None:
        """Append the full record of an episode that a language model played."""
        with (self._path / "transcripts.jsonl").open("a", encoding="utf-8") as file:
            file.write(record.to_json() + "\n")

    def records(self) -> list[EpisodeRecord]:
        """The episodes on disk: after an interrupt they, and nothing in memory, are what was finished."""
        with self._episodes.open(encoding="utf-8") as file:
            return [EpisodeRecord.from_json(line) for line in file]

    def finish(self, summaries: Sequence[Summary]) -> None:
        """Write the summary of what has been played."""
        results = [summary._asdict() for summary in summaries]
        (self._path / "summary.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
