"""Results as they come, for TensorBoard."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from maze_gym.evaluation.episode import EpisodeRecord
from maze_gym.evaluation.storage.line_file import read_records
from maze_gym.evaluation.storage.run_folder import EPISODES
from maze_gym.extras import require

if TYPE_CHECKING:
    from pathlib import Path

    from maze_gym.evaluation.result import EpisodeResult

FOLDER = "tensorboard"


class Tracker:
    """Writes one point an episode: success rate so far, steps, reward, tokens and cost, by policy.

    Args:
        folder: of the run; its episodes count, so that the curves of a run that goes on do so as well.
            None tracks nothing.

    Raises:
        InvalidArgument: an episode in the folder is broken; the message names the file and the line.
        MissingExtra: TensorBoard, or the torch that it is written by, is not installed.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open the log."""
        self._writer: Any = None  # torch has no types for it
        self._episodes: Counter[str] = Counter()
        self._scored: Counter[str] = Counter()
        self._successes: Counter[str] = Counter()
        if folder is not None:
            require("tensorboard", "rl")
            tensorboard = require("torch.utils.tensorboard", "rl")
            for record in read_records(folder / EPISODES, EpisodeRecord.from_dict):
                self._count(record)
            self._writer = tensorboard.SummaryWriter(str(folder / FOLDER))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def add(self, outcome: EpisodeResult) -> None:
        """Write what an episode adds."""
        if self._writer is None:
            return
        episode, policy = outcome.episode, outcome.episode.policy
        number = self._episodes[policy]
        self._count(episode)
        points: dict[str, float | None] = {"steps": episode.steps, "reward": episode.total_reward}
        if episode.success is not None:
            points["success_rate"] = self._successes[policy] / self._scored[policy]
        for name in ("input_tokens", "output_tokens", "cost_usd", "queries"):
            points[name] = (outcome.totals or {}).get(name)
        for name, value in points.items():
            if value is not None:
                self._writer.add_scalar(f"{policy}/{name}", value, number)

    def _count(self, episode: EpisodeRecord) -> None:
        self._episodes[episode.policy] += 1
        if episode.success is not None:
            self._scored[episode.policy] += 1
            self._successes[episode.policy] += episode.success
