"""A world in sixty lines, to show that nothing on the side of the models knows what a maze is."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from maze_gym.game import Description, EpisodeSpec, ReplyFormat, Route, Wording


class Hallway(gym.Env[int, int]):
    """Five tiles in a row; LEFT and RIGHT walk, the last tile ends the episode."""

    action_names: tuple[str, ...] = ("LEFT", "RIGHT")
    action_steps = ((0, -1), (0, 1))
    reply_format, plan_format = ReplyFormat.FINAL, ReplyFormat.ACTION_TAG
    observation_space, action_space = gym.spaces.Discrete(5), gym.spaces.Discrete(2)  # type: ignore[assignment]  # they yield np.int64

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.tile, self.steps, self.moved = int((options or {}).get("tile", 1)), 0, True
        return self.tile, {"level_id": "hallway"}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        before, self.steps = self.tile, self.steps + 1
        self.tile = min(max(self.tile + (1 if action else -1), 0), 4)
        self.moved, won = self.tile != before, self.tile == 4
        return (
            self.tile,
            float(won),
            won,
            self.steps >= 12,
            {"event": "MOVED" if self.moved else "BLOCKED"}
            | ({"is_success": won} if won or self.steps >= 12 else {}),
        )

    def describe(self, wording: Wording) -> Description:
        state = "" if wording.pictured else f"You stand on tile {self.tile} of 0 to 4."
        result = (
            ""
            if not self.steps or wording.pictured
            else ("You walk." if self.moved else "A wall blocks you.")
        )
        legal = (1,) if self.tile == 0 else (0, 1)
        return Description(
            "Walk to tile 4.", "", state, state and f"tile {self.tile}", result, not self.moved, legal,
            self.steps, 12 - self.steps, Route(self.action_steps, (0, self.tile), (1, 5)),
        )  # fmt: skip

    def picture(
        self, cell_px: int, shape: tuple[int, int] | None = None
    ) -> np.ndarray[Any, np.dtype[np.uint8]]:
        frame = np.zeros((*(shape or self.picture_shape(cell_px)), 3), np.uint8)
        frame[:, self.tile * cell_px : (self.tile + 1) * cell_px] = 255
        return frame

    def picture_shape(self, cell_px: int) -> tuple[int, int]:
        return cell_px, 5 * cell_px

    def snapshot(self) -> dict[str, Any]:
        return {"row": 0, "col": self.tile}

    def recipe(self) -> EpisodeSpec:
        return EpisodeSpec({}, {"tile": 1})

    def optimal_action(self) -> int:
        return 1

    def greedy_action(self) -> int:
        return 1

    def progress_signature(self) -> int:
        return self.tile
