"""One episode with all that is known of it: its record, its diagnosis, what a model was asked."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.evaluation.analysis.diagnosis import FailureClass, classify
from maze_gym.game import Disguise
from maze_gym.llm.parsing import FailureKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from maze_gym.evaluation.analysis.diagnosis import Diagnosis
    from maze_gym.evaluation.episode import EpisodeRecord


class Talk(NamedTuple):
    """What was asked in one episode and what came back.

    Attributes:
        queries: questions, repeated ones included; those the provider failed are not.
        unparsable: replies that could not be read.
        illegal: replies that named what was not among the legal actions listed.
        retries: questions that were asked again because of such a reply.
        input_tokens: tokens sent, None if the provider did not say.
        output_tokens: tokens received, None likewise.
        cost_usd: money, None without prices.
        latencies: seconds of each reply.
        wait_s: seconds spent waiting between attempts that the provider failed.
        provider_retries: such attempts.
        provider_errors: questions that were given up.
    """

    queries: int
    unparsable: int
    illegal: int
    retries: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latencies: tuple[float, ...]
    wait_s: float
    provider_retries: int
    provider_errors: int

    @classmethod
    def of(cls, queries: Sequence[Mapping[str, Any]]) -> Talk:
        """From the queries of a ``Transcript``."""
        answered = [query for query in queries if "error" not in query]
        kinds = [query["failure"]["kind"] for query in answered if "failure" in query]
        usages = [query["usage"] for query in answered if "usage" in query]
        return cls(
            queries=len(answered),
            unparsable=sum(kind != FailureKind.ILLEGAL for kind in kinds),
            illegal=sum(kind == FailureKind.ILLEGAL for kind in kinds),
            retries=sum(query["attempt"] > 0 for query in answered),
            input_tokens=_total(usage["input_tokens"] for usage in usages),
            output_tokens=_total(usage["output_tokens"] for usage in usages),
            cost_usd=_total(usage["cost_usd"] for usage in usages),
            latencies=tuple(
                float(query["latency_s"]) for query in answered if query.get("latency_s") is not None
            ),
            wait_s=sum(float(query.get("wait_s") or 0) for query in queries),
            provider_retries=sum(int(query.get("provider_retries") or 0) for query in queries),
            provider_errors=len(queries) - len(answered),
        )


class Evidence(NamedTuple):
    """One episode with all that is known of it.

    Attributes:
        record: its outcome.
        diagnosis: what the oracle says of it; None where nobody asked.
        talk: what a language model was asked; None for other policies.
        tags: what the world says the level is like.
    """

    record: EpisodeRecord
    diagnosis: Diagnosis | None = None
    talk: Talk | None = None
    tags: Mapping[str, Any] = MappingProxyType({})

    @property
    def cluster(self) -> str:
        """What the level is: episodes that share it are not independent."""
        return self.record.content_hash or self.record.level_id

    @property
    def level(self) -> str:
        """Name of the level, whatever its disguise."""
        return Disguise.of(self.record.level_id)[0]

    @property
    def is_disguised(self) -> bool:
        """Whether the level was not played as it is."""
        return Disguise.of(self.record.level_id)[1] is not None

    @property
    def failure(self) -> FailureClass:
        """What it was lost to, as far as it is known."""
        return classify(self.record) if self.diagnosis is None else self.diagnosis.failure

    @property
    def is_success(self) -> bool:
        """Whether it reached the goal."""
        return self.record.success is True


def _total(values: Iterable[Any]) -> Any:  # noqa: ANN401 - numbers of one kind
    known = [value for value in values if value is not None]
    return sum(known) if known else None
