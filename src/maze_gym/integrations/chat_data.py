"""Chats for fine-tuning: JSON lines of ``messages``, as TRL and ``datasets`` read them.

A folder holds ``train.jsonl``, ``validation.jsonl`` and ``test.jsonl`` (those that have rows), the pictures
under ``images/``, and ``manifest.json``, which is written last: a folder without it is not finished. A level
is in one split only, decided by the hash of its content, so that two exports never disagree about it. Of a
maze it is the ``layout_hash``, as in the data sets of ``mazegen``: an export keeps their splits.

Each row holds ``messages`` (or ``prompt`` and ``completion``), where there are pictures ``images`` (paths
relative to the folder), and what it comes from: ``id``, ``world``, ``level_id``, ``level_hash``, ``policy``,
``success``, ``step``, ``actions``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from maze_gym._version import __version__
from maze_gym.errors import InvalidArgument
from maze_gym.integrations.chat_options import (
    SHARES,
    SPLITS,
    Answers,
    ChatOptions,
    Keep,
    Layout,
    Reasoning,
)
from maze_gym.integrations.plan_words import Plans, in_words, plans_along
from maze_gym.llm.backends.baselines import actions_named
from maze_gym.llm.config import PROMPT_VERSION, ExperimentConfig, History
from maze_gym.llm.formats import speak
from maze_gym.registration import world_of
from mazegen import codec
from mazegen.core.symmetry import layout_hash
from mazegen.core.whole_file import whole_file, write_whole, writing_to
from mazegen.datasets.config import DatasetConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import TextIO

    from maze_gym.evaluation.transcript import Transcript

FORMAT = "maze_gym chats 1"
MANIFEST, IMAGES = "manifest.json", "images"
_ID_DIGITS = 16  # of a SHA-256 in hexadecimal
_MAZES = "MazeNLU-v0"


class Row(NamedTuple):
    """One chat.

    Attributes:
        messages: roles, texts and PNG files (in base64), as ``Message.to_dict`` writes them.
        step: actions taken before the first of its answers.
        actions: how many actions its answers hold.
    """

    messages: list[dict[str, Any]]
    step: int
    actions: int


def rows_of(record: Transcript, options: ChatOptions | None = None) -> Iterator[Row]:
    """The chats of one episode: one for each usable reply; with full history one in all.

    Where the answers are the solver's, situations from which there is no way to win give no chat.

    Raises:
        InvalidArgument: no language model played it, there is no plan where reasoning is asked for, or the
            solver is to answer in a growing chat, whose next turn tells what the player had done.
    """
    options = options or ChatOptions()
    if record.config is None:
        msg = f"{record.episode.policy} plays without words; name oracle, random-chat or a language model"
        raise InvalidArgument(msg)
    turns = _turns(record, options)
    if record.config["history"] != History.FULL:
        for turn in turns:
            yield Row([*turn.asked, turn.answer], turn.step, turn.actions)
    elif turns:
        messages = turns[0].asked[:1]
        for turn in turns:
            messages += [turn.asked[-1], turn.answer]
        yield Row(messages, 0, sum(turn.actions for turn in turns))


class _Turn(NamedTuple):
    """What was asked at a step, and what a chat says to it."""

    asked: list[dict[str, Any]]
    answer: dict[str, Any]
    step: int
    actions: int


def _turns(record: Transcript, options: ChatOptions) -> list[_Turn]:
    usable = [query for query in record.queries if "parsed" in query]
    if (options.answers, options.reasoning) == (Answers.SPOKEN, Reasoning.NONE):
        return [_turn(query, query["reply"], len(query["parsed"]["actions"])) for query in usable]
    config = ExperimentConfig.from_dict(dict(record.config or {}))
    wanted = actions_named(config.querying)
    solver = plans_along(record, config, wanted if options.reasoning == Reasoning.NONE else None)
    if options.answers == Answers.SOLVER:
        if config.history == History.FULL:
            msg = (
                "the solver cannot answer in a growing chat, whose next turn tells what the player had done; "
                "use history window"
            )
            raise InvalidArgument(msg)
        return list(_relabelled(usable, solver, wanted, options.reasoning))
    turns = []
    for query in usable:
        if not solver.plans[query["step"]]:
            msg = (
                f"reasoning needs a plan, and from step {query['step']} of {record.episode.level_id} none is "
                "known; export what the oracle plays, or only successes"
            )
            raise InvalidArgument(msg)
        reply = _reasoned(query["reply"], solver, query["step"], options.reasoning)
        turns.append(_turn(query, reply, len(query["parsed"]["actions"])))
    return turns


def _relabelled(
    usable: list[dict[str, Any]], solver: Plans, longest: int | None, reasoning: Reasoning
) -> Iterator[_Turn]:
    for query in usable:
        step = query["step"]
        plan = [move.action for move in solver.plans[step]][:longest]
        if plan:
            reply = speak(plan, solver.grammars[step], f"the next step is {solver.names[plan[0]]}")
            yield _turn(query, _reasoned(reply, solver, step, reasoning), len(plan))


def _turn(query: Mapping[str, Any], reply: str, actions: int) -> _Turn:
    return _Turn(query["messages"], {"role": "assistant", "text": reply}, query["step"], actions)


def _reasoned(reply: str, solver: Plans, step: int, reasoning: Reasoning) -> str:
    if reasoning == Reasoning.NONE:
        return reply
    thought = in_words(solver.plans[step], solver.names, is_shortest=solver.is_shortest)
    return (
        f"<think>\n{thought}\n</think>\n\n{reply}"
        if reasoning == Reasoning.THINK
        else f"{thought}\n\n{reply}"
    )


def split_of(record: Transcript, shares: tuple[float, float, float] = SHARES) -> str:
    """The split of an episode's level: the same in every export, and in every data set of mazes.

    Raises:
        MazeFormatError: the record holds no maze where its world has one.
    """
    return DatasetConfig(1, splits=shares).split_of(_split_hash(record))


def _split_hash(record: Transcript) -> str:
    """What decides the split; of a maze the puzzle, so that one which is only turned or recoloured stays."""
    maze = record.recipe["make"].get("maze")
    if maze is not None and world_of(record.episode.env_id).id == _MAZES:
        return layout_hash(codec.from_dict(maze))
    # Of any text: a world may name its levels as it likes, or not at all.
    return hashlib.sha256(record.episode.content_hash.encode()).hexdigest()


class ChatFolder:
    """A data set of chats that is being written.

    Args:
        path: a folder that does not exist or is empty.
        options: how episodes become rows.
        source: what they come from, for the manifest; JSON-safe.

    Attributes:
        counts: rows in each split, ``duplicates`` that were dropped, ``episodes`` kept and
            ``dropped`` ones.

    Raises:
        InvalidArgument: there is something in the folder, or an option is wrong.
        OSError: it cannot be written.
    """

    def __init__(
        self, path: Path, options: ChatOptions | None = None, source: Mapping[str, Any] | None = None
    ) -> None:
        """Open the three files."""
        self.path = path
        self.options = (options or ChatOptions()).checked()
        self._source = dict(source or {})
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            msg = f"{path} is not an empty folder; name a new one"
            raise InvalidArgument(msg)
        path.mkdir(parents=True, exist_ok=True)
        self.counts: Counter[str] = Counter(dict.fromkeys((*SPLITS, "episodes", "dropped", "duplicates"), 0))
        self._levels: dict[str, set[str]] = {name: set() for name in SPLITS}
        self._seen: set[bytes] = set()
        self._open = ExitStack()
        self._files: dict[str, TextIO] = {}
        for name in SPLITS:
            unfinished = self._open.enter_context(whole_file(path / f"{name}.jsonl"))
            self._files[name] = self._open.enter_context(unfinished.open("w", encoding="utf-8"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            self._open.__exit__(kind, error, where)
        except BaseException:
            shutil.rmtree(self.path / IMAGES, ignore_errors=True)
            raise
        if kind is not None:  # half an export would be taken for a whole one
            shutil.rmtree(self.path / IMAGES, ignore_errors=True)
            return
        for name in SPLITS:
            if not self.counts[name]:  # a table without rows has no columns, and its readers refuse it
                self.path.joinpath(f"{name}.jsonl").unlink()
        write_whole(self.path / MANIFEST, json.dumps(self._manifest(), indent=1) + "\n")

    def add(self, record: Transcript) -> None:
        """Write what an episode gives; what was written before is dropped.

        Raises:
            InvalidArgument: see ``rows_of``.
        """
        episode, options = record.episode, self.options
        if episode.success is None or (options.keep == Keep.SUCCESS and not episode.success):
            self.counts["dropped"] += 1
            return
        self.counts["episodes"] += 1
        split = split_of(record, options.shares)
        self._levels[split].add(episode.content_hash)
        for row in rows_of(record, options):
            digest = hashlib.sha256(json.dumps(row.messages, sort_keys=True).encode())
            if digest.digest() in self._seen:
                self.counts["duplicates"] += 1
                continue
            self._seen.add(digest.digest())
            origin = {
                "id": digest.hexdigest()[:_ID_DIGITS],
                "world": episode.env_id,
                "level_id": episode.level_id,
                "level_hash": episode.content_hash,
                "policy": episode.policy,
                "success": bool(episode.success),
                "step": row.step,
                "actions": row.actions,
            }
            with writing_to(self.path / f"{split}.jsonl"):
                self._files[split].write(json.dumps(self._columns(row) | origin) + "\n")
            self.counts[split] += 1

    def _columns(self, row: Row) -> dict[str, Any]:
        pictures = [image for message in row.messages for image in message.get("images", ())]
        messages = [_message(message, with_parts=bool(pictures)) for message in row.messages]
        chat = (
            {"messages": messages}
            if self.options.layout == Layout.MESSAGES
            else {"prompt": messages[:-1], "completion": messages[-1:]}
        )
        return chat | {"images": [self._picture(each) for each in pictures]} if pictures else chat

    def _picture(self, encoded: str) -> str:
        """Write a picture once, under the hash of its content."""
        data = base64.b64decode(encoded)
        name = f"{IMAGES}/{hashlib.sha256(data).hexdigest()[:_ID_DIGITS]}.png"
        path = self.path / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_whole(path, data)
        return name

    def _manifest(self) -> dict[str, Any]:
        options = self.options
        return {
            "format": FORMAT,
            "maze_gym": __version__,
            "prompts": PROMPT_VERSION,
            "answers": str(options.answers),
            "reasoning": str(options.reasoning),
            "keep": str(options.keep),
            "layout": str(options.layout),
            "shares": dict(zip(SPLITS, options.shares, strict=True)),
            "counts": dict(self.counts),
            "levels": {name: len(hashes) for name, hashes in self._levels.items()},
            "source": self._source,
        }


def _message(message: Mapping[str, Any], *, with_parts: bool) -> dict[str, Any]:
    """A message as chat templates take it; one with pictures has parts, and so have all of its chat."""
    if not with_parts:
        return {"role": message["role"], "content": message["text"]}
    # Both keys in every part: columns of a table have one type.
    images = [{"type": "image", "text": None} for _ in message.get("images", ())]
    return {"role": message["role"], "content": [*images, {"type": "text", "text": message["text"]}]}
