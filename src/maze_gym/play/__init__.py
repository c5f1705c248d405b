"""Human play: the arrow keys, through the same ``env.step`` as every policy."""

from maze_gym.play.app import PlayApp
from maze_gym.play.launch import play
from maze_gym.play.session import PlaySession

__all__ = ["PlayApp", "PlaySession", "play"]
