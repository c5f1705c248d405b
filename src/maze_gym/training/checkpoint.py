"""Everything that a run needs to go on as if it had never stopped, in one file without pickled code."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from maze_gym.errors import InvalidArgument
from maze_gym.training.config import TrainConfig
from mazegen.core.whole_file import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from stable_baselines3 import PPO

FILE = "checkpoint.pt"


def save(folder: Path, model: PPO, config: TrainConfig, part: int, clock: dict[str, float]) -> None:
    """Write a checkpoint; the one before it stays whole until this one is.

    Args:
        folder: of the run.
        model: weights, optimizer and counters.
        config: of the run.
        part: number of this checkpoint.
        clock: seconds that the run has taken so far.
    """
    name, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002 - the one that the trainer draws from
    content = {
        "config": json.dumps(config.to_dict()),
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "steps": int(model.num_timesteps),
        "updates": int(model._n_updates),  # noqa: SLF001 - stable-baselines3 has no other name for it
        "part": part,
        "clock": dict(clock),
        "torch_rng": torch.get_rng_state(),
        "numpy_rng": [str(name), torch.from_numpy(np.asarray(keys).astype(np.int64)), int(position)],
        "numpy_gauss": [int(has_gauss), float(gauss)],
    }
    with whole_file(folder / FILE) as unfinished, unfinished.open("wb") as file:
        torch.save(content, file)


def load(folder: Path, config: TrainConfig) -> dict[str, Any]:
    """Read a checkpoint of the same run.

    Raises:
        InvalidArgument: there is none, it is broken, or other settings made it; the message names them.
    """
    path = folder / FILE
    if not path.exists():
        msg = f"{folder} holds no {FILE} to resume from; leave out --resume to begin anew"
        raise InvalidArgument(msg)
    try:
        _check_size(path)
        content: dict[str, Any] = torch.load(path, weights_only=True)
        before = TrainConfig.from_dict(json.loads(content["config"]))
    except InvalidArgument:
        raise
    except Exception as error:
        msg = f"{path} is no checkpoint that can be read ({type(error).__name__}: {error})"
        raise InvalidArgument(msg) from error
    refuse_others(path, config, before)
    return content


def _check_size(path: Path) -> None:
    """Refuse what would unpack into more than it is: PyTorch packs nothing.

    Raises:
        ValueError: it is no such file.
    """
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
    is_packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
    if is_packed or sum(entry.file_size for entry in entries) > size:
        msg = "it claims to hold more than it is large"
        raise ValueError(msg)


def refuse_others(path: Path, config: TrainConfig, before: TrainConfig) -> None:
    """Check that a run goes on with the settings that it began with, as ``path`` holds them.

    Raises:
        InvalidArgument: they differ; the message names each.
    """
    different = config.differences(before)
    if different:
        msg = f"{path} is of a run with other settings: {'; '.join(different)}; use those, or another folder"
        raise InvalidArgument(msg)


def restore(content: dict[str, Any], model: PPO) -> None:
    """Put weights, optimizer and counters back; the generators follow in ``restore_randomness``.

    Raises:
        InvalidArgument: they are not of this network, or not all there.
    """
    try:
        model.policy.load_state_dict(content["policy"])
        model.policy.optimizer.load_state_dict(content["optimizer"])
        model.num_timesteps = int(content["steps"])
        model._n_updates = int(content["updates"])  # noqa: SLF001 - as above
    except (LookupError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        msg = f"{FILE} does not fit the network of this run ({type(error).__name__}: {error}); begin anew"
        raise InvalidArgument(msg) from error


def restore_randomness(content: dict[str, Any]) -> None:
    """Put the generators back, last of all: making a model and envs draws from them."""
    torch.set_rng_state(content["torch_rng"])
    name, keys, position = content["numpy_rng"]
    has_gauss, gauss = content["numpy_gauss"]
    np.random.set_state(  # noqa: NPY002 - as above
        (name, keys.numpy().astype(np.uint32), position, has_gauss, gauss)
    )
