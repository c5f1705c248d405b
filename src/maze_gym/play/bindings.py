"""Which key means which action: by the names of a world's actions, so every world can be played."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# By pygame's own names of keys. The first is shown first in the legend.
KEYS_OF_ACTION = {
    "TURN_LEFT": ("left", "a"),
    "TURN_RIGHT": ("right", "d"),
    "MOVE_FORWARD": ("up", "w"),
    "PICKUP": ("down", "p"),
    "TOGGLE": ("space", "t"),
    "DONE": ("return", "e"),
    "UP": ("up", "w"),
    "DOWN": ("down", "s"),
    "LEFT": ("left", "a"),
    "RIGHT": ("right", "d"),
}
COMMANDS = {
    "hint": ("h",),
    "undo": ("u", "backspace"),
    "restart": ("r",),
    "next level": ("n",),
    "previous level": ("b",),
    "screenshot": ("c", "f12"),
    "quit": ("q", "escape"),
}
_SHOWN = {"return": "Enter", "escape": "Esc"}


class Binding(NamedTuple):
    """One line of the legend: the keys and what they do."""

    keys: tuple[str, ...]
    meaning: str

    @property
    def shown(self) -> str:
        """The keys as a person reads them."""
        return " / ".join(_SHOWN.get(key, key.capitalize()) for key in self.keys)


def action_bindings(action_names: Sequence[str]) -> tuple[Binding, ...]:
    """Keys for each action, in order: familiar ones by name, digits for names never heard of."""
    return tuple(
        Binding(KEYS_OF_ACTION.get(name, (str(index % 10),)), name.lower().replace("_", " "))
        for index, name in enumerate(action_names)
    )


def command_bindings() -> tuple[Binding, ...]:
    """Keys of everything that is not an action."""
    return tuple(Binding(keys, meaning) for meaning, keys in COMMANDS.items())
