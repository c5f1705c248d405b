"""Trained policies, in any world's episode loop: runs of ``maze-gym train``, and the shipped baseline.

Only weights and plain JSON are read, never pickled code, and the network runs in NumPy.
"""

from __future__ import annotations

import io
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.policies.encoding import Encoding, FlatEncoding, MazeEncoding, encoding_for
from maze_gym.policies.networks import action_logits
from maze_gym.policies.weights_file import read_weights
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from numpy.typing import NDArray

    from maze_gym.policies.base import AnyEnv

WEIGHTS, DESCRIPTION = "policy.npz", "policy.json"
FORMAT = 1
MAX_DESCRIPTION = 1 << 22  # bytes; those of worlds with many entries have some thousands
PREFIX, SAMPLED_PREFIX = "sb3:", "sb3-sampled:"
SHIPPED = {"ppo": "ppo_maze"}  # policy: folder of this package's data
SIZELESS = ("planner",)  # networks whose weights serve boards of every size


class Trained(NamedTuple):
    """A policy as it is stored.

    Attributes:
        world: id of the world that it was trained in.
        network: name of its network.
        encoding: kind of encoding that it sees.
        shape: (rows, cols) of the boards that it was trained on; (0, 0) where worlds have no boards.
        numbers: how many numbers a flat encoding has; 0 for a maze.
        masked: whether it was trained to choose among the actions that have an effect.
        action_names: of its world.
        weights: by name.
        entries: of a flat encoding, see ``FlatEncoding``; None for a maze, and in files that keep none yet.
    """

    world: str
    network: str
    encoding: str
    shape: tuple[int, int]
    numbers: int
    masked: bool
    action_names: tuple[str, ...]
    weights: dict[str, NDArray[np.float32]]
    entries: Mapping[str, Mapping[str, Any]] | None = None


def is_trained_name(name: str) -> bool:
    """Whether a name is that of a trained policy: ``ppo``, ``sb3:DIR`` or ``sb3-sampled:DIR``."""
    return name in SHIPPED or name.startswith((PREFIX, SAMPLED_PREFIX))


def check_trained_name(name: str) -> None:
    """Raise ``InvalidArgument`` unless there is such a policy and its files can be read."""
    _read(name)


def save(folder: Path, trained: Trained) -> None:
    """Write weights and description."""
    description: dict[str, Any] = {
        "format": FORMAT,
        "world": trained.world,
        "network": trained.network,
        "encoding": trained.encoding,
        "shape": list(trained.shape),
        "numbers": trained.numbers,
        "masked": trained.masked,
        "action_names": list(trained.action_names),
    }
    if trained.entries is not None:
        description["entries"] = {name: dict(entry) for name, entry in trained.entries.items()}
    packed = io.BytesIO()
    np.savez(packed, **trained.weights)  # type: ignore[arg-type]  # no weight is called allow_pickle
    write_whole(folder / WEIGHTS, packed.getvalue())
    write_whole(folder / DESCRIPTION, json.dumps(description, indent=2) + "\n")


def load(folder: Path | Traversable) -> Trained:
    """Read what ``save`` wrote.

    Raises:
        InvalidArgument: there is nothing, or it is not a trained policy.
    """
    description, weights = folder.joinpath(DESCRIPTION), folder.joinpath(WEIGHTS)
    if not description.is_file() or not weights.is_file():
        msg = (
            f"{folder} holds no trained policy ({DESCRIPTION} and {WEIGHTS}); "
            "give the folder that maze-gym train --out wrote"
        )
        raise InvalidArgument(msg)
    try:
        fields = json.loads(_text_of(description))
        if fields.pop("format") != FORMAT:
            msg = "it has another format; train it again with this version"
            raise ValueError(msg)  # noqa: TRY301 - said in one place
        names = tuple(map(str, fields["action_names"]))
        with weights.open("rb") as file:
            found = read_weights(file, fields["network"], len(names), int(fields["numbers"]))
        rows, cols = fields["shape"]
        trained = Trained(
            **fields
            | {
                "shape": (int(rows), int(cols)),
                "action_names": names,
                "weights": found,
                "entries": _entries(fields.get("entries")),
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        msg = f"{folder} does not hold a trained policy that can be read: {error}"
        raise InvalidArgument(msg) from error
    return trained


def _text_of(description: Path | Traversable) -> str:
    """The whole description, which is short."""
    with description.open("rb") as file:
        data: bytes = file.read(MAX_DESCRIPTION + 1)
    if len(data) > MAX_DESCRIPTION:
        msg = f"{DESCRIPTION} has more than {MAX_DESCRIPTION:,} bytes"
        raise ValueError(msg)
    return data.decode("utf-8")


class TrainedPolicy:
    """Plays what it learned; by default its most likely action, always.

    Args:
        name: what it is called in records.
        trained: the policy.
        env: the env it will play.
        sampled: draw each action from the policy instead; ``reset(seed)`` fixes the draws.

    Raises:
        InvalidArgument: it was trained in another world, on boards of another size than its network can
            take, or on numbers with other bounds; the message says what differs.
    """

    def __init__(
        self, name: str, trained: Trained, env: AnyEnv, seed: int | None = None, *, sampled: bool = False
    ) -> None:
        """Check that policy and env fit."""
        self.name = name
        self._trained, self._sampled = trained, sampled
        self._encoding = _fitting_encoding(trained, env)
        self._shape = self._encoding.shape if isinstance(self._encoding, MazeEncoding) else (0, 0)
        self._generator = np.random.default_rng(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begin the draws anew if a seed is given; nothing else is remembered between steps."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:  # noqa: ANN401 - each world observes differently
        """Choose an action."""
        seen = self._encoding.encode_one(observation)
        batch = {name: values[None] for name, values in seen.items()}
        logits = action_logits(self._trained.network, self._trained.weights, self._shape, batch)[0]
        if self._trained.masked and "action_mask" in info:
            logits = np.where(np.asarray(info["action_mask"], np.bool_), logits, -np.inf)
        if self._sampled:
            logits = logits + self._generator.gumbel(size=logits.shape)
        return int(logits.argmax())


def trained_policy(name: str, env: AnyEnv, seed: int | None = None) -> TrainedPolicy:
    """The trained policy of a name; see ``is_trained_name``.

    Raises:
        InvalidArgument: there is no such policy, or it does not fit the env.
    """
    return TrainedPolicy(name, _read(name), env, seed, sampled=name.startswith(SAMPLED_PREFIX))


def _read(name: str) -> Trained:
    if name in SHIPPED:
        return load(files("maze_gym.policies").joinpath("shipped", SHIPPED[name]))
    folder = name.partition(":")[2]
    if not folder:
        msg = f"{name!r} names no folder; write {PREFIX}DIR with the folder that maze-gym train --out wrote"
        raise InvalidArgument(msg)
    return load(Path(folder))


def _fitting_encoding(trained: Trained, env: AnyEnv) -> Encoding:
    """The encoding in which this env looks to the policy as its training did."""
    names = tuple(getattr(env.unwrapped, "action_names", ()))
    if names != trained.action_names:
        msg = (
            f"this policy was trained in {trained.world} with the actions {', '.join(trained.action_names)}; "
            f"this env is {_name(env)} with {', '.join(names) or 'others'}"
        )
        raise InvalidArgument(msg)
    encoding = encoding_for(env.observation_space, trained.encoding)
    if (
        isinstance(encoding, MazeEncoding)
        and trained.network not in SIZELESS
        and encoding.shape != trained.shape
    ):
        msg = (
            f"this policy was trained on boards observed as {_size(trained.shape)}, and this env "
            f"observes {_size(encoding.shape)}; its network {trained.network!r} is bound to one size, so "
            "play boards of that size, or train the network 'planner', which takes every size"
        )
        raise InvalidArgument(msg)
    if isinstance(encoding, FlatEncoding):
        _check_entries(trained, encoding, env)
    return encoding


def _check_entries(trained: Trained, encoding: FlatEncoding, env: AnyEnv) -> None:
    """Check that the same state becomes the same numbers, which are scaled by the bounds of the space."""
    before = encoding.entries if trained.entries is None else trained.entries
    for name in {**before, **encoding.entries}:
        was, now = before.get(name), encoding.entries.get(name)
        if was != now:
            msg = (
                f"this policy was trained in {trained.world} where entry {name!r} of an observation has "
                f"{_told(was)}, and in this {_name(env)} it has {_told(now)}, so the same state would look "
                "different; play it with the levels, step limit and size of boards of the training"
            )
            raise InvalidArgument(msg)
    if encoding.numbers != trained.numbers:
        msg = (
            f"this policy was trained on observations of {trained.numbers} numbers, and {_name(env)} has "
            f"{encoding.numbers}; play it on boards of the size that it was trained on"
        )
        raise InvalidArgument(msg)


def _entries(stored: Any) -> dict[str, dict[str, Any]] | None:  # noqa: ANN401 - as read
    return None if stored is None else {name: dict(entry) for name, entry in dict(stored).items()}


def _told(entry: Mapping[str, Any] | None) -> str:
    return "nothing" if entry is None else ", ".join(f"{name} {value}" for name, value in entry.items())


def _name(env: AnyEnv) -> str:
    return env.spec.id if env.spec is not None else type(env.unwrapped).__name__


def _size(shape: tuple[int, int]) -> str:
    return f"{shape[0]} x {shape[1]}"
