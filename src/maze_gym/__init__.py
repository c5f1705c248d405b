"""maze_gym: can this agent act in space, or only talk about it?

Importing this package registers its worlds with Gymnasium and does nothing else::

    import gymnasium as gym
    import maze_gym

    env = gym.make("MazeNLU-v0")
"""

import mazegen  # noqa: F401 - first, so that Ctrl-C during the other imports is answered in one line
from maze_gym._version import __version__
from maze_gym.registration import register_worlds

__all__ = ["__version__"]

register_worlds()
