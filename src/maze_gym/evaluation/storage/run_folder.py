"""A run on disk, in a form that a killed program leaves whole and a later one can go on from.

``config.json``: what the numbers depend on (``describe``); a run goes on only with the very same.

``episodes.jsonl``: a line for each finished episode (``EpisodeResult``), in the order in which they ended.
That line is what counts; all else belongs to an episode that has one. Where an unscored episode was played
again there are two, and the later one holds.

``levels.jsonl``: a line for each distinct level and start: ``level`` (its key), ``level_id``,
``content_hash``, ``tags``, ``recipe`` (``make``, ``reset``). With the ``actions`` of an episode it brings
back every state, so only language models need transcripts.

``transcripts.jsonl``: a ``Transcript`` a line, with its ``index``, for each episode of a language model.

``calls.jsonl``: a line for each call of a model, written when its answer is there: ``policy``, ``index``,
``take``, ``number`` (of the call in the episode), ``step``, ``attempt``, tokens, cost, seconds, retries,
``failure``, ``error``. A call counts if an episode with its policy, index and take has ended; the others were
in vain, since somebody killed or stopped the run, and are reported apart.

``models.json``: settings of each language model as it was first asked. ``sessions.jsonl``: when somebody
worked on the run, and why it stopped. ``summary.json``: the table of results.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import platform
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from maze_gym._version import __version__
from maze_gym.errors import InvalidArgument, UnreadableFile
from maze_gym.evaluation.result import EpisodeResult
from maze_gym.evaluation.storage.folder_lock import FolderLock
from maze_gym.evaluation.storage.line_file import LineFile, read_lines, read_records
from mazegen.core.bounded_files import json_of, read_bounded
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from maze_gym.evaluation.analysis.metrics import Summary
    from maze_gym.evaluation.episode import EpisodeRecord
    from maze_gym.evaluation.plan import EvalPlan
    from maze_gym.evaluation.result import Played

FORMAT = "maze_gym run folder 1"
CONFIG, SUMMARY, MODELS = "config.json", "summary.json", "models.json"
EPISODES, LEVELS, TRANSCRIPTS = "episodes.jsonl", "levels.jsonl", "transcripts.jsonl"
CALLS, SESSIONS = "calls.jsonl", "sessions.jsonl"
FINISHED = "finished"  # in the record of a session that reached the end of the run
_SHOWN = 60  # characters of a value in the message about a changed config


def level_set_hash(content_hashes: Iterable[str]) -> str:
    """The one hash (SHA-256, hex) that names levels in their order."""
    return hashlib.sha256("".join(content_hashes).encode()).hexdigest()


def describe(run: EvalPlan) -> dict[str, Any]:
    """What a run's numbers depend on, ready for JSON; the level set is named by one hash."""
    return {
        "env_id": run.env_id,
        "policies": list(run.policies),
        "episodes": run.episodes,
        "seed": run.seed,
        "generated": None if run.levels else dict(run.env_kwargs),
        "level_set": level_set_hash(level.content_hash for level in run.levels),
        "levels": [[level.level_id, level.content_hash] for level in run.levels],
        "skipped": [list(each) for each in run.skipped],
        "version": __version__,
        "experiment": None if run.config is None else run.config.to_dict(),
        "experiment_hash": None if run.config is None else run.config.content_hash,
    }


class RunFolder:
    """Writes a run; whatever stops the program, the episodes that have ended are on disk.

    Args:
        path: a folder; it is made if it does not exist.
        run: the plan.
        resume: go on with the run that the folder holds, if it holds one.
        retry_unscored: play episodes again that ended without a verdict.

    Attributes:
        path: the folder.
        done: (policy, index) of every episode that need not be played any more.
        session: how many times somebody worked on this run, this time included.

    Raises:
        InvalidArgument: the folder holds a run and ``resume`` was not asked for, or another run, or a file
            of it is broken (the message names the line); or another process works in it.
        NotWritten, OSError: it cannot be written.
    """

    def __init__(
        self, path: Path, run: EvalPlan, *, resume: bool = False, retry_unscored: bool = False
    ) -> None:
        """Take the folder; write the config, or compare it."""
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._policies = run.policies
        self._lock = FolderLock(path)
        self._files: dict[str, LineFile] = {}
        self._models_lock = Lock()
        try:
            self._check(json.loads(json.dumps(describe(run))), resume=resume)
            for name in (EPISODES, LEVELS, CALLS, TRANSCRIPTS, SESSIONS):
                self._files[name] = LineFile(path / name)
            self._take_up(retry_unscored=retry_unscored)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, played: Played) -> None:
        """Keep one finished episode; it counts from the moment its line is written, which comes last.

        Raises:
            InvalidArgument: an episode of its policy and index is there already.
            NotWritten: the disk did not take it; everything before it is safe.
        """
        outcome = played.outcome
        if outcome.key in self.done:
            msg = f"episode {outcome.index} of {outcome.episode.policy} has been played already"
            raise InvalidArgument(msg)
        if outcome.level and outcome.level not in self._levels:  # a world without words names none
            self._files[LEVELS].append(
                {
                    "level": outcome.level,
                    "level_id": outcome.episode.level_id,
                    "content_hash": outcome.episode.content_hash,
                    "tags": dict(outcome.tags),
                    "recipe": dict(played.recipe),
                }
            )
            self._levels.add(outcome.level)
        self._files[CALLS].flush()
        if played.transcript:
            self._files[TRANSCRIPTS].append_text(played.transcript)
        self._files[EPISODES].append(outcome.to_dict())
        self.done.add(outcome.key)

    def add_call(self, fields: Mapping[str, Any]) -> None:
        """Keep one call of a model, at the latest before its episode; safe to be called from any thread."""
        self._files[CALLS].append(fields)

    def check_model(self, policy: str, settings: Mapping[str, Any]) -> None:
        """Keep the settings of a model, or compare them with those that it had before.

        Raises:
            InvalidArgument: they differ: the rest of the run would be that of another model; or the file
                of the settings is broken.
        """
        path = self.path / MODELS
        with self._models_lock:
            known = read_models(self.path)
            now = json.loads(json.dumps(dict(settings)))
            if policy not in known:
                known[policy] = now
                write_whole(path, json.dumps(known, indent=2) + "\n")
            elif known[policy] != now:
                changes = "; ".join(_differences(known[policy], now, policy))
                msg = f"{self.path} holds a run in which {changes}; play it with the same settings"
                raise InvalidArgument(msg)

    def records(self, policy: str) -> list[EpisodeRecord]:
        """The episodes of a policy that are on disk, in the order of their numbers."""
        found: dict[int, EpisodeRecord] = {}
        for outcome in read_outcomes(self.path, self._policies):
            if outcome.episode.policy == policy:
                found[outcome.index] = outcome.episode
        return [found[index] for index in sorted(found)]

    def calls(self) -> Iterator[dict[str, Any]]:
        """All calls so far, those in vain included."""
        return read_records(self.path / CALLS, checked_call)

    def calls_in_vain(self) -> Iterator[dict[str, Any]]:
        """The calls of episodes that did not end: stopped, killed, or played again."""
        takes = {outcome.key: outcome.take for outcome in read_outcomes(self.path, self._policies)}
        for call in self.calls():
            if takes.get(key_of(call)) != call["take"]:
                yield call

    def finish(self, summaries: Sequence[Summary], why: str = FINISHED) -> None:
        """Write the summary of what has been played, and why nothing follows.

        Raises:
            NotWritten: the disk did not take it.
        """
        results = [summary._asdict() for summary in summaries]
        write_whole(self.path / SUMMARY, json.dumps(results, indent=2) + "\n")
        self._files[SESSIONS].append({"session": self.session, "ended": _now(), "why": why})

    def close(self) -> None:
        """Close everything and let others in; safe to call again."""
        for file in self._files.values():
            file.close()
        self._lock.close()

    def _check(self, config: dict[str, Any], *, resume: bool) -> None:
        """Refuse to mix two runs; begin a new one by its config."""
        path = self.path / CONFIG
        if not path.exists():
            if (self.path / EPISODES).exists():
                msg = f"{self.path} holds episodes ({EPISODES}) but no {CONFIG}; choose another folder"
                raise InvalidArgument(msg)
            write_whole(path, json.dumps({"format": FORMAT, **config}, indent=2) + "\n")
            return
        if not resume:
            msg = f"{self.path} already holds a run; go on with --resume, or choose another folder"
            raise InvalidArgument(msg)
        found = read_object(path)
        if found.get("format") != FORMAT:
            msg = f"{path} is not the config of a run that can go on: its format is {found.get('format')!r}"
            raise InvalidArgument(msg)
        changes = list(_differences(found, {"format": FORMAT, **config}))
        if changes:
            what = "; ".join(changes)
            msg = f"{self.path} holds another run: {what}; give the same options, or another folder"
            raise InvalidArgument(msg)

    def _take_up(self, *, retry_unscored: bool) -> None:
        """Learn what is there, and drop what belongs to no finished episode."""
        takes: dict[tuple[str, int], str] = {}
        self.done: set[tuple[str, int]] = set()
        for outcome in read_outcomes(self.path, self._policies):
            takes[outcome.key] = outcome.take
            if outcome.episode.success is None and retry_unscored:
                self.done.discard(outcome.key)
            else:
                self.done.add(outcome.key)
        self._levels = set(read_records(self.path / LEVELS, lambda fields: str(fields["level"])))
        last = self._files[TRANSCRIPTS].last(_key_and_take)
        if last is not None and takes.get(last[0]) != last[1]:
            self._files[TRANSCRIPTS].cut_last_line()  # killed between it and the episode's own line
        sessions = sum("began" in fields for fields in read_lines(self.path / SESSIONS))
        self.session = sessions + 1
        began = {"session": self.session, "began": _now(), "host": platform.node(), "process": os.getpid()}
        self._files[SESSIONS].append(began)


def key_of(fields: Mapping[str, Any]) -> tuple[str, int]:
    """(policy, index) of an episode or of a call."""
    return str(fields["policy"]), int(fields["index"])


def checked_call(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a call, if they say whose it is and what it has cost.

    Raises:
        KeyError, TypeError, ValueError: they do not.
    """
    fields = {**fields, "take": str(fields["take"])}
    key_of(fields)
    for name in ("input_tokens", "output_tokens", "cost_usd"):
        if not isinstance(fields[name], int | float | None):
            msg = f"{name} must be a number or null, got {fields[name]!r}"
            raise TypeError(msg)
    return fields


def read_outcomes(folder: Path, policies: Collection[str]) -> Iterator[EpisodeResult]:
    """Every episode that a run has kept, in the order of the file: one that was played again comes again.

    Raises:
        InvalidArgument: a line is no episode of these policies; the message names the file and the line.
    """

    def make(fields: dict[str, Any]) -> EpisodeResult:
        outcome = EpisodeResult.from_dict(fields)
        if outcome.episode.policy not in policies:
            msg = f"the run has no policy {outcome.episode.policy!r}; there are: {', '.join(policies)}"
            raise InvalidArgument(msg)
        return outcome

    return read_records(folder / EPISODES, make)


def read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        InvalidArgument: it is no JSON, or no object.
    """
    try:
        found = json_of(read_bounded(path), str(path))
    except UnreadableFile as error:
        raise InvalidArgument(str(error)) from error
    if not isinstance(found, dict):
        msg = f"{path} must hold an object, got {type(found).__name__}"
        raise InvalidArgument(msg)
    return found


def read_models(folder: Path) -> dict[str, dict[str, Any]]:
    """The settings of each language model of a run; none before one was asked.

    Raises:
        InvalidArgument: the file holds anything else.
    """
    path = folder / MODELS
    found = read_object(path) if path.exists() else {}
    for policy, settings in found.items():
        if not isinstance(settings, dict):
            msg = f"{path}: the settings of {policy!r} must be an object, got {settings!r}"
            raise InvalidArgument(msg)
    return found


def _key_and_take(transcript: dict[str, Any]) -> tuple[tuple[str, int], str]:
    """Which episode a transcript is of, and which attempt at it."""
    policy = transcript["episode"]["policy"]
    return key_of({"policy": policy, "index": transcript["index"]}), str(transcript["take"])


def _differences(before: Any, now: Any, where: str = "") -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """Each place at which two JSON values differ."""
    if before == now:
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*before, *now]):
            yield from _differences(before.get(name), now.get(name), f"{where}.{name}" if where else name)
        return
    yield f"{where} was {_short(before)}, is {_short(now)}"


def _short(value: Any) -> str:  # noqa: ANN401 - any JSON value
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
