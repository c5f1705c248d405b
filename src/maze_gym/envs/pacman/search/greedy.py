"""The hungry walker: a baseline that goes for the nearest pellet and looks one step ahead."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules import Action, Event

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import Board, State


def hungry_action(board: Board, state: State) -> int:
    """The move that does not die at once and leaves the next pellet nearest; of equals the first."""
    ranked = []
    for action in Action:
        after, events, points = rules.step(board, state, action)
        hunger = 0 if points else 1 + steps_to_pellet(board, after.player, state.pellets)
        ranked.append((bool(events & Event.DIED), bool(events & Event.BUMPED), hunger, int(action)))
    return min(ranked)[-1]


def steps_to_pellet(board: Board, start: int, pellets: int) -> int:
    """Steps to the nearest cell of a mask; as many as there are cells if none can be reached."""
    seen = 1 << start
    queue = deque(((start, 0),))
    while queue:
        cell, steps = queue.popleft()
        if pellets >> cell & 1:
            return steps
        for moves in board.moves:
            beside = moves[cell]
            if not seen >> beside & 1:
                seen |= 1 << beside
                queue.append((beside, steps + 1))
    return board.layout.cells
