"""Episodes of PacmanArray by the options that frameworks have for it, so that all play the same ones."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from maze_gym.errors import InvalidArgument
from maze_gym.integrations.sessions import SessionSpec, episodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maze_gym.llm.config import ExperimentConfig

WORLDS = {"classic": "PacmanArray-v0", "random": "PacmanArray-Random-v0"}
BOARDS = 2**30  # random boards of each split
FIRST_BOARDS = {"train": 0, "eval": BOARDS}  # their numbers: the splits have none in common


def board_episodes(
    config: ExperimentConfig,
    boards: str,
    split: str,
    *,
    count: int,
    seed: int = 0,
    max_steps: int = 200,
    show_pellets: int = 0,
) -> Iterator[SessionSpec]:
    """Episodes on boards of a kind; see ``episodes``.

    Args:
        config: how they are put into words.
        boards: ``classic``, the same board each time and in both splits; or ``random``, generated ones.
        split: ``train`` or ``eval``.
        count: how many.
        seed: from which random boards, and the luck of their ghosts, are drawn.
        max_steps: step limit.
        show_pellets: how many pellets a turn lists with their coordinates.

    Raises:
        InvalidArgument: there is no such kind or split, or a number is out of range.
    """
    for name, value, choices in (("boards", boards, WORLDS), ("split", split, FIRST_BOARDS)):
        if value not in choices:
            msg = f"{name} must be {' or '.join(choices)}, got {value!r}"
            raise InvalidArgument(msg)
    make = {"max_steps": max_steps, "show_pellets": show_pellets}
    if boards == "random":
        make |= {"num_levels": BOARDS, "start_level": FIRST_BOARDS[split]}
    for spec in episodes(WORLDS[boards], config, count=count, seed=seed, make=make):
        # A level's recipe says how it is played, and not what is told of it.
        yield dataclasses.replace(spec, make={**spec.make, "show_pellets": show_pellets})
