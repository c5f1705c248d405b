"""One finished episode of a run: its record, and what the run adds to it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.episode import EpisodeRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY_DIGITS = 16  # of a SHA-256: two levels of one run share none


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One line of ``episodes.jsonl``.

    Attributes:
        episode: the record, as for any episode.
        index: number of the episode among those of its policy; with the run's seed it decides everything.
        level: key of the level in ``levels.jsonl``; empty where the world cannot say how to begin it again.
        tags: what the world says the level is like: rows, cols, topology, chain, tier, ...
        wall_s: seconds that it took.
        totals: ``Transcript.totals``: queries, tokens, cost; None for a policy that is no language model.
        failures: replies that could not be used, by kind.
        take: which attempt at the episode this is; calls under another take of it came to nothing.
    """

    episode: EpisodeRecord
    index: int
    level: str = ""
    tags: Mapping[str, Any] = field(default_factory=dict)
    wall_s: float = 0.0
    totals: Mapping[str, Any] | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    take: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """(policy, index): no run holds two outcomes of one key that count."""
        return self.episode.policy, self.index

    @property
    def detail(self) -> str:
        """Why the policy stopped, in words; untrusted."""
        return self.episode.detail

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe: the fields of the record, and those of the run beside them."""
        return {
            **self.episode.to_dict(),
            "index": self.index,
            "level": self.level,
            "tags": dict(self.tags),
            "wall_s": round(self.wall_s, 6),
            "totals": None if self.totals is None else dict(self.totals),
            "failures": dict(self.failures),
            "take": self.take,
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> EpisodeResult:
        """The outcome that ``to_dict`` wrote.

        Raises:
            InvalidArgument: these are not such fields.
        """
        episode = EpisodeRecord.from_dict(fields)
        try:
            return cls(
                episode,
                index=int(fields["index"]),
                level=str(fields["level"]),
                tags=dict(fields["tags"]),
                wall_s=float(fields["wall_s"]),
                totals=None if fields["totals"] is None else dict(fields["totals"]),
                failures=dict(fields["failures"]),
                take=str(fields["take"]),
            )
        except (TypeError, KeyError, ValueError) as error:
            msg = f"not an episode of a run: {error!r}"
            raise InvalidArgument(msg) from error


class Played(NamedTuple):
    """What a worker hands over when an episode has ended.

    Attributes:
        outcome: the line of ``episodes.jsonl``.
        recipe: arguments that make the env and begin this episode again (``game.EpisodeSpec``), JSON-safe;
            empty where the world is no ``TextGame``.
        transcript: the line of ``transcripts.jsonl``; empty for a policy that is no language model.
    """

    outcome: EpisodeResult
    recipe: Mapping[str, Any]
    transcript: str = ""


def level_key(recipe: Mapping[str, Any]) -> str:
    """Name of a level: equal for equal recipes."""
    text = json.dumps(recipe, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_KEY_DIGITS]
