"""A run folder read back, whether its run has ended, was stopped, or goes on this very moment."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.outcome import Outcome
from maze_gym.evaluation.storage import run_folder
from maze_gym.evaluation.storage.line_file import read_lines
from maze_gym.evaluation.transcript import RunRecord

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping


class RunLevel(NamedTuple):
    """One level of a run, with a start.

    Attributes:
        key: what ``Outcome.level`` names.
        level_id: its name.
        content_hash: what it is, independent of its name and start.
        tags: what the world says it is like.
        recipe: ``make`` and ``reset``: arguments of ``gym.make`` and ``reset`` that begin it again.
    """

    key: str
    level_id: str
    content_hash: str
    tags: Mapping[str, Any]
    recipe: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model; None is what is not known.

    Attributes:
        policy: who asked.
        index: in which episode.
        number: of the call in the episode, from 0.
        step: actions taken before it.
        attempt: 0 for the first try of a turn, 1 for the first retry, and so on.
        input_tokens: tokens sent.
        output_tokens: tokens of the reply.
        cost_usd: at the prices of the run.
        latency_s: of the attempt that succeeded.
        wait_s: waited between attempts at the provider.
        provider_retries: attempts before the last.
        failure: kind of a reply that could not be used, or empty.
        error: what the provider said if it failed, or empty; untrusted.
        is_abandoned: its episode was stopped or killed before the end: paid for in vain.
    """

    policy: str
    index: int
    number: int
    step: int
    attempt: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_s: float | None
    wait_s: float
    provider_retries: int
    failure: str
    error: str
    is_abandoned: bool


@dataclass(frozen=True)
class Run:
    """A run.

    Attributes:
        path: its folder.
        config: ``run_folder.describe``.
        episodes: what has ended, by policy in the order of the config, then by index; each key once.
        levels: by ``Outcome.level``.
        models: settings of each language model.
        sessions: ``sessions.jsonl``.
    """

    path: Path
    config: dict[str, Any]
    episodes: tuple[Outcome, ...]
    levels: Mapping[str, RunLevel]
    models: Mapping[str, Mapping[str, Any]]
    sessions: tuple[Mapping[str, Any], ...]

    @property
    def policies(self) -> tuple[str, ...]:
        """Their names, in the order of the table."""
        return tuple(self.config["policies"])

    @property
    def planned(self) -> int:
        """Episodes of the whole plan, over all policies."""
        return int(self.config["episodes"]) * len(self.policies)

    @property
    def is_finished(self) -> bool:
        """Whether every planned episode has ended."""
        return len(self.episodes) == self.planned

    def transcripts(self) -> Iterator[tuple[int, RunRecord]]:
        """(index, record) of each episode of a language model that counts, in the order of the file."""
        takes = {outcome.key: outcome.take for outcome in self.episodes}
        for fields in read_lines(self.path / run_folder.TRANSCRIPTS):
            record = RunRecord.from_dict(fields)
            index = record.index
            if index is not None and takes.get((record.episode.policy, index)) == record.take:
                yield index, record

    def calls(self) -> Iterator[Call]:
        """Every call of a model, in the order in which the answers came."""
        takes = {outcome.key: outcome.take for outcome in self.episodes}
        names = [field.name for field in dataclasses.fields(Call) if field.name != "is_abandoned"]
        for fields in read_lines(self.path / run_folder.CALLS):
            key = (fields["policy"], fields["index"])
            known = {name: fields[name] for name in names}
            yield Call(**known, is_abandoned=takes.get(key) != fields["take"])


def read_run(folder: str | os.PathLike[str]) -> Run:
    """Read a run folder; nothing in it is changed, and an unfinished last line is left out.

    Raises:
        LevelsNotFound: there is no run.
        InvalidArgument: a file of it is broken; the message names the file and the line.
    """
    path = Path(folder)
    if not (path / run_folder.CONFIG).exists():
        msg = f"{path} holds no run: there is no {run_folder.CONFIG} in it"
        raise LevelsNotFound(msg)
    config = run_folder.read_object(path / run_folder.CONFIG)
    if config.get("format") != run_folder.FORMAT:
        found_format = config.get("format")
        msg = f"{path / run_folder.CONFIG}: expected format {run_folder.FORMAT!r}, got {found_format!r}"
        raise InvalidArgument(msg)
    place = {policy: number for number, policy in enumerate(config["policies"])}
    found: dict[tuple[str, int], Outcome] = {}
    for fields in read_lines(path / run_folder.EPISODES):
        outcome = Outcome.from_dict(fields)
        found[outcome.key] = outcome
    return Run(
        path=path,
        config=config,
        episodes=tuple(found[key] for key in sorted(found, key=lambda key: (place[key[0]], key[1]))),
        levels={level.key: level for level in _levels(path)},
        models=_models(path / run_folder.MODELS),
        sessions=tuple(read_lines(path / run_folder.SESSIONS)),
    )


def _levels(path: Path) -> Iterator[RunLevel]:
    for fields in read_lines(path / run_folder.LEVELS):
        names = ("level", "level_id", "content_hash", "tags", "recipe")
        yield RunLevel(*(fields[name] for name in names))


def _models(path: Path) -> dict[str, dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
