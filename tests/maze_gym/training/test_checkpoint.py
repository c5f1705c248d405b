"""Checkpoints of others: a clear error, and no more memory than the file is large."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from maze_gym.errors import InvalidArgument

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.extra("torch", "rl"), pytest.mark.slow]


@pytest.mark.parametrize("kind", ["empty", "no zip", "bomb", "pickled code"])
def test_a_checkpoint_of_anything_is_one_clear_error(kind: str, tmp_path: Path) -> None:
    import torch

    from maze_gym.training import checkpoint
    from maze_gym.training.config import TrainConfig

    file = tmp_path / checkpoint.FILE
    if kind == "bomb":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("archive/data.pkl", bytes(400 << 20))
    elif kind == "pickled code":
        torch.save({"config": print}, file)
    else:
        file.write_bytes(b"" if kind == "empty" else b"words" * 100)
    with pytest.raises(InvalidArgument, match=r"checkpoint\.pt is no checkpoint that can be read"):
        checkpoint.load(tmp_path, TrainConfig())
