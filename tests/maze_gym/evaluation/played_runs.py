"""Run folders for the tests of what is read out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym import evaluation
from maze_gym.evaluation.limits import Control
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import Run, read_run
from mazegen import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mazegen.core.maze import Maze


def level_folder(folder: Path, mazes: Iterable[Maze]) -> Path:
    """A folder of maze files."""
    folder.mkdir(parents=True, exist_ok=True)
    for maze in mazes:
        codec.dump(maze, folder / f"{maze.level_id}.json")
    return folder


def play(folder: Path, policies: Sequence[str], levels: Path | str | None = None, **arguments: Any) -> Run:
    """Play a plan into a folder and read it back."""
    run = evaluation.make_plan(policies, levels=levels, **arguments)
    with RunFolder(folder, run) as target:
        control = Control(on_call=target.add_call, on_model=target.check_model)
        for played in evaluation.play_run(run, control):
            target.add(played)
    return read_run(folder)
