"""How tests ask what a model is asked: a turn after some actions, and messages as a page to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maze_gym.llm.prompts import PastStep, Turn
from mazegen.rendering import png

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maze_gym.llm.config import ExperimentConfig
    from maze_gym.llm.messages import Message


def turn_after(env: Any, actions: Sequence[int], config: ExperimentConfig) -> Turn:
    """What is asked after some actions of a new episode."""
    env.reset(seed=0)
    history = []
    for action in actions:
        before = env.describe(config.wording)
        env.step(action)
        result = env.describe(config.wording).result
        history.append(PastStep(before.step + 1, before.pose, env.action_names[action], result))
    image = png.encode(env.picture(config.cell_px)) if config.has_image else None
    return Turn(env.describe(config.wording), tuple(history), image)


def page(messages: Sequence[Message]) -> str:
    """Messages as a page."""
    parts = []
    for message in messages:
        pictures = f" ({len(message.images)} picture)" if message.images else ""
        parts.append(f"=== {message.role}{pictures} ===\n{message.text}\n")
    return "\n".join(parts)


def echoes(messages: Sequence[Message]) -> list[str]:
    """What a model says that repeats the whole prompt, one message or a single line of it."""
    texts = [message.text for message in messages]
    return ["\n".join(texts), *texts, *(line for text in texts for line in text.splitlines())]
