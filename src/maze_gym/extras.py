"""Optional dependencies: imported where they are used, named with their install command when absent."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from maze_gym.errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module.

    Args:
        module: its import name, for example ``stable_baselines3``.
        extra: the extra of this distribution that brings it, for example ``rl``.

    Raises:
        MissingExtra: it is not installed; the message holds the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # it is there, but something that it needs itself is not
        msg = f"this needs {module}, which is not installed: pip install 'maze-gym[{extra}]'"
        raise MissingExtra(msg, name=module) from error
