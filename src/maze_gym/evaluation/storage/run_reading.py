"""A run folder read back, whether its run has ended, was stopped, or goes on this very moment."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maze_gym.errors import InvalidArgument, LevelsNotFound
from maze_gym.evaluation.storage import run_folder
from maze_gym.evaluation.storage.line_file import read_lines, read_records
from maze_gym.evaluation.transcript import Transcript
from maze_gym.registration import world_with
from mazegen.core.file_errors import close_path

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from maze_gym.evaluation.result import EpisodeResult

# What of ``run_folder.describe`` is asked for by those who read a run.
_CONFIG_KEYS = ("env_id", "policies", "episodes", "seed", "generated", "level_set", "levels", "version")
_A_RUN = "give a folder that maze-gym evaluate --out wrote"
_LEVEL_FIELDS = 2  # of each entry of its ``levels``: level_id and content_hash


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
    episodes: tuple[EpisodeResult, ...]
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

    def transcripts(self) -> Iterator[tuple[int, Transcript]]:
        """(index, record) of each episode of a language model that counts, in the order of the file.

        Raises:
            InvalidArgument: a line is broken; the message names the file and the line.
        """
        takes = {outcome.key: outcome.take for outcome in self.episodes}
        for record in read_records(self.path / run_folder.TRANSCRIPTS, Transcript.from_dict):
            index = record.index
            if index is not None and takes.get((record.episode.policy, index)) == record.take:
                yield index, record

    def calls(self) -> Iterator[Call]:
        """Every call of a model, in the order in which the answers came.

        Raises:
            InvalidArgument: a line is broken; the message names the file and the line.
        """
        takes = {outcome.key: outcome.take for outcome in self.episodes}
        names = [field.name for field in dataclasses.fields(Call) if field.name != "is_abandoned"]

        def make(fields: dict[str, Any]) -> Call:
            call = run_folder.checked_call(fields)
            known = {name: call[name] for name in names}
            return Call(**known, is_abandoned=takes.get(run_folder.key_of(call)) != call["take"])

        return read_records(self.path / run_folder.CALLS, make)


def read_run(folder: str | os.PathLike[str]) -> Run:
    """Read a run folder; nothing in it is changed, and an unfinished last line is left out.

    Raises:
        LevelsNotFound: there is no run.
        InvalidArgument: a file of it is broken; the message names the file and the line.
    """
    path = Path(folder)
    if not path.is_dir():
        raise LevelsNotFound(_no_folder(path))
    if not (path / run_folder.CONFIG).exists():
        msg = f"{path} holds no run: there is no {run_folder.CONFIG} in it; {_A_RUN}"
        raise LevelsNotFound(msg)
    config = _config(path / run_folder.CONFIG)
    place = {policy: number for number, policy in enumerate(config["policies"])}
    found = {outcome.key: outcome for outcome in run_folder.read_outcomes(path, place)}
    return Run(
        path=path,
        config=config,
        episodes=tuple(found[key] for key in sorted(found, key=lambda key: (place[key[0]], key[1]))),
        levels={level.key: level for level in read_records(path / run_folder.LEVELS, _level)},
        models=run_folder.read_models(path),
        sessions=tuple(read_lines(path / run_folder.SESSIONS)),
    )


def transcripts_at(path: Path) -> Path:
    """The file of records that a path means: the transcripts of a run for its folder, else the path itself.

    Raises:
        LevelsNotFound: it is a folder that holds no run, or the name of bundled levels.
        OSError: there is nothing.
    """
    if not path.is_dir():
        if not path.exists() and world_with(str(path)) is not None:
            raise LevelsNotFound(_no_folder(path))
        return path
    file = path / run_folder.TRANSCRIPTS
    if not file.exists():
        msg = f"{path} holds no run: there is no {file.name} in it; {_A_RUN}"
        raise LevelsNotFound(msg)
    return file


def _no_folder(path: Path) -> str:
    """What to say of a path that is no folder, where one with a run is meant."""
    if path.exists():
        return f"{path} is a file, not the folder of a run; {_A_RUN}"
    if world_with(str(path)) is not None:
        return f"{str(path)!r} names levels, not a run of them; {_A_RUN}"
    close = close_path(path)
    hint = "" if close is None else f"; did you mean {str(close)!r}?"
    return f"there is no folder {str(path)!r}; {_A_RUN}{hint}"


def _config(path: Path) -> dict[str, Any]:
    """The config of a run, with all that is asked of it later."""
    config = run_folder.read_object(path)
    if config.get("format") != run_folder.FORMAT:
        msg = f"{path}: expected format {run_folder.FORMAT!r}, got {config.get('format')!r}"
        raise InvalidArgument(msg)
    missing = [name for name in _CONFIG_KEYS if name not in config]
    if missing:
        msg = f"{path} is no config of a run: {', '.join(missing)} missing"
        raise InvalidArgument(msg)
    policies, levels = config["policies"], config["levels"]
    shapes = {
        "policies": (_is_list_of(str, policies), "a list of names"),
        "episodes": (isinstance(config["episodes"], int), "a whole number"),
        "levels": (
            _is_list_of(list, levels) and all(len(level) == _LEVEL_FIELDS for level in levels),
            "a list of names and hashes",
        ),
    }
    for name, (is_right, expected) in shapes.items():
        if not is_right:
            msg = f"{path}: {name} must be {expected}, got {config[name]!r}"
            raise InvalidArgument(msg)
    return config


def _is_list_of(kind: type, value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


def _level(fields: Mapping[str, Any]) -> RunLevel:
    return RunLevel(
        key=str(fields["level"]),
        level_id=str(fields["level_id"]),
        content_hash=str(fields["content_hash"]),
        tags=dict(fields["tags"]),
        recipe={name: dict(fields["recipe"][name]) for name in ("make", "reset")},
    )
