"""Wrappers for worlds that can be put into words or pictures; they go in any order and rebuild from specs."""

from maze_gym.wrappers.context_window import ContextWindow
from maze_gym.wrappers.egocentric_view import EgocentricView
from maze_gym.wrappers.image_observation import ImageObservation
from maze_gym.wrappers.oracle_shaping import OracleShaping, VectorOracleShaping
from maze_gym.wrappers.text_observation import TextObservation
from maze_gym.wrappers.text_view import TextView

__all__ = [
    "ContextWindow",
    "EgocentricView",
    "ImageObservation",
    "OracleShaping",
    "TextObservation",
    "TextView",
    "VectorOracleShaping",
]
