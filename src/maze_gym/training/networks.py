"""The networks that learn, as feature extractors for stable-baselines3; one module imports PyTorch.

Their twins, forward only, are in ``maze_gym.policies.networks``.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from maze_gym.errors import InvalidArgument
from maze_gym.policies import plan_field
from maze_gym.policies.encoding import AGENT, CELLS, INVENTORY, NUMBERS, MazeEncoding
from maze_gym.policies.networks import (
    COST_SCALE,
    HELD_SCALE,
    PLAN_CODES,
    REACH_SCALE,
    WORTH_SCALE,
    places_around,
    plan_codes,
    view_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gymnasium import spaces

    from maze_gym.policies.encoding import Encoding

AROUND = 4
HEAD_WIDTH = 64
_GIVEN = ("space", "shape")  # arguments of an extractor that the envs decide
FLOOR_AND_WALL = 8  # the first codes of a plan: two objects, each in two states, with and without a key
FLOOR, WALL = slice(0, 4), slice(4, 8)


class _Values(torch.autograd.Function):
    """Values around the agent, with the gradient that runs back along the best paths."""

    @staticmethod
    def forward(
        context: Any,  # noqa: ANN401 - PyTorch's own
        worth: torch.Tensor,
        cost: torch.Tensor,
        codes: np.ndarray[Any, np.dtype[np.uint8]],
        places: np.ndarray[Any, np.dtype[np.int64]],
        cols: int,
    ) -> torch.Tensor:
        worths = worth.detach().numpy()
        values = np.empty((*codes.shape, worths.shape[1]), np.float32)
        plan_field.fill_values(codes, worths, cost.detach().numpy(), cols, values)
        context.kept = codes, worths, cols, values, places
        return torch.from_numpy(values[np.arange(len(codes))[:, None], places])

    @staticmethod
    def backward(context: Any, upstream: torch.Tensor) -> tuple[Any, ...]:  # noqa: ANN401 - as above
        codes, worths, cols, values, places = context.kept
        by_worth, by_cost = np.zeros_like(worths), np.zeros_like(worths)
        shares = np.ascontiguousarray(upstream.numpy())
        plan_field.add_gradients(codes, worths, cols, values, places, shares, by_worth, by_cost)
        return torch.from_numpy(by_worth), torch.from_numpy(by_cost), None, None, None


class PlannerExtractor(BaseFeaturesExtractor):
    """Plans over the board: what is worth reaching and what bars the way is learned, the search is built in.

    It knows from the start that floor costs little and walls cost much, and nothing about goals, keys, doors,
    switches and gates. It has no size: the same weights serve boards of every size.

    Args:
        space: of a ``MazeEncoding``.
        shape: (rows, cols) of the board.
        channels: plans that are made side by side.
        looks: numbers that describe a cell beside the agent.
        width: features.
    """

    def __init__(
        self,
        space: spaces.Dict,
        shape: tuple[int, int],
        channels: int = 8,
        looks: int = 8,
        width: int = 64,
    ) -> None:
        """Draw the first weights."""
        super().__init__(space, width)
        self._cols = shape[1]
        worth, cost = torch.randn(PLAN_CODES, channels), torch.randn(PLAN_CODES, channels) * 0.6 - 0.3
        worth[:FLOOR_AND_WALL] = -3.0
        cost[FLOOR], cost[WALL] = -0.3, 2.0
        self.worth, self.cost = nn.Parameter(worth), nn.Parameter(cost)
        self.look = nn.Parameter(torch.randn(PLAN_CODES, looks) * 0.5)
        colors = int(np.prod(space[INVENTORY].shape or ()))
        inputs = channels * (2 * AROUND + 1) + looks * (AROUND + 1) + colors
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh())

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """(envs, width) features."""
        held = _bytes(seen[INVENTORY])
        codes = plan_codes(_bytes(seen[CELLS]), held)
        places = places_around(_bytes(seen[AGENT]), self._cols)
        cost = nn.functional.softplus(self.cost * COST_SCALE)
        values = _Values.apply(self.worth * WORTH_SCALE, cost, codes, places, self._cols)
        around, own = values[:, 1:], values[:, :1]
        near = torch.from_numpy(np.take_along_axis(codes, places, axis=1).astype(np.int64))
        parts = (
            torch.tanh(around - own),
            torch.softmax(around, dim=1),
            own / REACH_SCALE,
            self.look[near],
            seen[INVENTORY].unsqueeze(1) / HELD_SCALE,
        )
        features: torch.Tensor = self.body(torch.cat([part.flatten(1) for part in parts], dim=1))
        return features


class ViewExtractor(BaseFeaturesExtractor):
    """Two layers over the whole board, centred on the agent and turned its way; no search is built in.

    Args:
        space: of a ``MazeEncoding``.
        shape: (rows, cols) of the board.
        looks: numbers that describe a cell.
        width: features.
    """

    def __init__(self, space: spaces.Dict, shape: tuple[int, int], looks: int = 4, width: int = 256) -> None:
        """Draw the first weights."""
        super().__init__(space, width)
        self._table = view_table(*shape)
        self.look = nn.Parameter(torch.randn(PLAN_CODES, looks))
        inputs = self._table.shape[-1] * looks + int(np.prod(space[INVENTORY].shape or ()))
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """(envs, width) features."""
        agent = _bytes(seen[AGENT])
        codes = plan_codes(_bytes(seen[CELLS]), _bytes(seen[INVENTORY]))
        places = self._table[agent[:, 0], agent[:, 1], agent[:, 2]]
        view = torch.from_numpy(np.take_along_axis(codes, places, axis=1).astype(np.int64))
        looks = nn.functional.embedding(view, self.look).flatten(1)
        features: torch.Tensor = self.body(torch.cat([looks, seen[INVENTORY] / HELD_SCALE], dim=1))
        return features


class FlatExtractor(BaseFeaturesExtractor):
    """Two layers over the numbers of a ``FlatEncoding``; ``shape`` is not used."""

    def __init__(self, space: spaces.Dict, shape: tuple[int, int], width: int = 256) -> None:  # noqa: ARG002
        """Draw the first weights."""
        super().__init__(space, width)
        inputs = int(np.prod(space[NUMBERS].shape or ()))
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())

    def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
        """(envs, width) features."""
        features: torch.Tensor = self.body(seen[NUMBERS])
        return features


EXTRACTORS: dict[str, type[BaseFeaturesExtractor]] = {
    "planner": PlannerExtractor,
    "view": ViewExtractor,
    "flat": FlatExtractor,
}


def policy_kwargs(encoding: Encoding, network: str, sizes: Mapping[str, int]) -> dict[str, Any]:
    """What a policy of stable-baselines3 takes in order to have one of these networks.

    Args:
        encoding: of the envs.
        network: one of ``EXTRACTORS``, or ``"auto"`` for the best.
        sizes: arguments of its feature extractor, from 1 on.

    Raises:
        InvalidArgument: there is no such network, it reads other envs, or it has no such size.
    """
    name = network_for(encoding, network)
    extractor = EXTRACTORS[name]
    known = [each for each in inspect.signature(extractor).parameters if each not in _GIVEN]
    for size, value in sizes.items():
        if size not in known:
            msg = f"sizes {dict(sizes)} do not fit the network {name!r}; there are: {', '.join(known)}"
            raise InvalidArgument(msg)
        if type(value) is not int or value < 1:
            msg = f"{size} must be a whole number of at least 1, got {value!r}"
            raise InvalidArgument(msg)
    shape = encoding.shape if isinstance(encoding, MazeEncoding) else (0, 0)
    return {
        "features_extractor_class": extractor,
        "features_extractor_kwargs": dict(sizes) | {"shape": shape},
        "net_arch": {"pi": [HEAD_WIDTH], "vf": [HEAD_WIDTH]},
    }


def network_for(encoding: Encoding, network: str) -> str:
    """The name of a network that reads envs of an encoding; ``"auto"`` takes the best.

    Raises:
        InvalidArgument: there is no such network, or it reads other envs.
    """
    if network not in ("auto", *EXTRACTORS):
        msg = f"network must be one of auto, {', '.join(EXTRACTORS)}, got {network!r}"
        raise InvalidArgument(msg)
    best = "planner" if isinstance(encoding, MazeEncoding) else "flat"
    if network == "auto":
        return best
    if (network == "flat") != (best == "flat"):
        reads = "the encoding 'flat'" if network == "flat" else "mazes"
        msg = f"network {network!r} reads {reads}; envs encoded as {encoding.kind!r} take {best!r} or 'auto'"
        raise InvalidArgument(msg)
    return network


def _bytes(values: torch.Tensor) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """stable-baselines3 hands every box over as floats."""
    numbers: np.ndarray[Any, np.dtype[np.uint8]] = values.numpy().astype(np.uint8)
    return numbers
