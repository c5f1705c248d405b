"""The networks of trained policies, forward only and in NumPy: playing a trained policy needs no PyTorch.

Each has a twin of the same weights in ``maze_gym.training.networks``, where it learns; a test holds the two
together. What both must agree on, and neither may learn, stands here: how cells are coded for a plan, and
which cells lie where around the agent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from maze_gym.errors import InvalidArgument
from maze_gym.policies.encoding import AGENT, CELLS, COLORS, INVENTORY, NUMBERS, STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from maze_gym.policies.encoding import Arrays

Floats: TypeAlias = "NDArray[np.float32]"
Weights: TypeAlias = "Mapping[str, NDArray[np.float32]]"

OBJECTS = 7
PLAN_CODES = OBJECTS * STATES * 2  # object, state, and whether a key of the cell's colour is held
WORTH_SCALE, COST_SCALE = 10.0, 5.0  # how much faster these tables move than the head
REACH_SCALE = 20.0  # brings values to about 1
HELD_SCALE = 3.0
EXTRACTOR, HEAD, ACTIONS = "features_extractor", "mlp_extractor.policy_net.0", "action_net"
_NUMBER_OF_CODE = np.arange(OBJECTS * COLORS * STATES)
_PLAN_CODE = (_NUMBER_OF_CODE // (COLORS * STATES) * STATES + _NUMBER_OF_CODE % STATES).astype(np.uint8) * 2
_COLOR_OF_CODE = _NUMBER_OF_CODE // STATES % COLORS
_TURNS = ((-1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, -1), (0, -1, -1, 0))  # facing: (row, col) of ahead, of right


def plan_codes(cells: NDArray[np.uint8], inventory: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(envs, cells) what a cell is to a plan: its colour matters only as "I hold such a key or not".

    So what is learned about one colour holds for all.
    """
    held = np.zeros((len(cells), COLORS), np.uint8)
    held[:, 1 : inventory.shape[1] + 1] = inventory > 0  # colour 0 is "none"; the last ones are not of keys
    codes: NDArray[np.uint8] = _PLAN_CODE[cells] + np.take_along_axis(held, _COLOR_OF_CODE[cells], axis=1)
    return codes


def places_around(agent: NDArray[np.uint8], cols: int) -> NDArray[np.int64]:
    """(envs, 5) the agent's own cell, and those ahead, to the right, behind and to the left of it."""
    strides = np.array([-cols, 1, cols, -1])
    turned = np.array([[0, *(strides[(facing + turn) % 4] for turn in range(4))] for facing in range(4)])
    here = agent[:, 0].astype(np.int64) * cols + agent[:, 1]
    around: NDArray[np.int64] = here[:, None] + turned[agent[:, 2]]
    return around


@lru_cache(maxsize=8)
def view_table(rows: int, cols: int) -> NDArray[np.int64]:
    """(rows, cols, 4, places) cells of a view centred on the agent and turned its way; 0, a wall, beyond.

    The view is as large as it must be to show every inner cell from every inner cell.
    """
    reach = max(rows, cols) - 3  # from one inner corner to the other
    ahead, right = (axis.reshape(-1) for axis in np.mgrid[reach : -reach - 1 : -1, -reach : reach + 1])
    row, col, facing = (axis[..., None] for axis in np.mgrid[:rows, :cols, :4])
    turn = np.array(_TURNS)[facing[..., 0]]
    seen_row = row + turn[..., 0:1] * ahead + turn[..., 2:3] * right
    seen_col = col + turn[..., 1:2] * ahead + turn[..., 3:4] * right
    inside = (seen_row >= 0) & (seen_row < rows) & (seen_col >= 0) & (seen_col < cols)
    table: NDArray[np.int64] = np.where(inside, seen_row * cols + seen_col, 0)
    table.flags.writeable = False
    return table


def linear(weights: Weights, name: str, values: Floats) -> Floats:
    """A layer without its activation."""
    result: Floats = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return result


def planner_features(weights: Weights, shape: tuple[int, int], seen: Arrays) -> Floats:
    """What the planner makes of a board: values around the agent in every channel, and what lies there."""
    from maze_gym.policies import plan_field

    cols = shape[1]
    codes = plan_codes(seen[CELLS], seen[INVENTORY])
    places = places_around(seen[AGENT], cols)
    worth = weights[f"{EXTRACTOR}.worth"] * np.float32(WORTH_SCALE)
    cost = np.logaddexp(np.float32(0), weights[f"{EXTRACTOR}.cost"] * np.float32(COST_SCALE))
    values = np.empty((*codes.shape, worth.shape[1]), np.float32)
    plan_field.fill_values(codes, worth, cost, cols, values)
    envs = np.arange(len(codes))[:, None]
    here = values[envs, places]
    around, own = here[:, 1:], here[:, :1]
    looks = weights[f"{EXTRACTOR}.look"][codes[envs, places]]
    parts = (
        np.tanh(around - own),
        _softmax(around),
        own / np.float32(REACH_SCALE),
        looks,
        seen[INVENTORY][:, None] / np.float32(HELD_SCALE),
    )
    joined = np.concatenate([part.reshape(len(codes), -1) for part in parts], axis=1).astype(np.float32)
    return np.tanh(linear(weights, f"{EXTRACTOR}.body.0", joined))


def view_features(weights: Weights, shape: tuple[int, int], seen: Arrays) -> Floats:
    """Two layers over everything in sight, centred on the agent and turned its way."""
    codes = plan_codes(seen[CELLS], seen[INVENTORY])
    agent = seen[AGENT]
    places = view_table(*shape)[agent[:, 0], agent[:, 1], agent[:, 2]]
    looks = weights[f"{EXTRACTOR}.look"][np.take_along_axis(codes, places, axis=1)]
    keys = seen[INVENTORY].astype(np.float32) / np.float32(HELD_SCALE)
    joined = np.concatenate([looks.reshape(len(codes), -1), keys], axis=1)
    return _relu(
        linear(weights, f"{EXTRACTOR}.body.2", _relu(linear(weights, f"{EXTRACTOR}.body.0", joined)))
    )


def flat_features(weights: Weights, shape: tuple[int, int], seen: Arrays) -> Floats:  # noqa: ARG001 - as its neighbours
    """Two layers over all numbers."""
    hidden = _relu(linear(weights, f"{EXTRACTOR}.body.0", seen[NUMBERS]))
    return _relu(linear(weights, f"{EXTRACTOR}.body.2", hidden))


# By the name of a network: what it makes of encoded observations, on which the head decides.
FEATURES: dict[str, Callable[[Weights, tuple[int, int], Arrays], Floats]] = {
    "planner": planner_features,
    "view": view_features,
    "flat": flat_features,
}


def action_logits(network: str, weights: Weights, shape: tuple[int, int], seen: Arrays) -> Floats:
    """(envs, actions) unnormalised log-probabilities.

    Args:
        network: one of ``FEATURES``.
        weights: by the names that they have in training.
        shape: (rows, cols) of a maze's board; anything for other worlds.
        seen: encoded observations, with an axis of envs.

    Raises:
        InvalidArgument: there is no such network.
    """
    if network not in FEATURES:
        msg = f"no network {network!r}; there are: {', '.join(FEATURES)}"
        raise InvalidArgument(msg)
    features = FEATURES[network](weights, shape, seen)
    return linear(weights, ACTIONS, np.tanh(linear(weights, HEAD, features)))


def _relu(values: Floats) -> Floats:
    return np.maximum(values, np.float32(0))


def _softmax(values: Floats) -> Floats:
    """Along the places around the agent."""
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    shares: Floats = np.divide(raised, raised.sum(axis=1, keepdims=True), dtype=np.float32)
    return shares
