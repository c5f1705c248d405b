"""maze_gym: can this agent act in space, or only talk about it?

Importing this package registers its worlds with Gymnasium and does nothing else::

    import gymnasium as gym
    import maze_gym

    env = gym.make("MazeNLU-v0")

What a first day needs is here, and is loaded when it is first used::

    print(maze_gym.evaluate(["greedy", "oracle"], episodes=5))
"""

from typing import TYPE_CHECKING

import mazegen  # noqa: F401 - first, so that Ctrl-C during the other imports is answered in one line
from maze_gym._version import __version__
from maze_gym.registration import register_worlds

if TYPE_CHECKING:
    from maze_gym.errors import InvalidArgument, MazeGymError
    from maze_gym.evaluation import (
        EvalPlan,
        EvaluationResult,
        build_runner,
        evaluate,
        make_plan,
        replay,
        run_episode,
    )
    from maze_gym.llm import Chat, ExperimentConfig, Message
    from maze_gym.policies import Policy, make_policy
    from maze_gym.testing import check_world
    from maze_gym.wrappers import (
        ContextWindow,
        EgocentricView,
        ImageObservation,
        OracleShaping,
        TextObservation,
        TextView,
        VectorOracleShaping,
    )

__all__ = [
    "Chat",
    "ContextWindow",
    "EgocentricView",
    "EvalPlan",
    "EvaluationResult",
    "ExperimentConfig",
    "ImageObservation",
    "InvalidArgument",
    "MazeGymError",
    "Message",
    "OracleShaping",
    "Policy",
    "TextObservation",
    "TextView",
    "VectorOracleShaping",
    "__version__",
    "build_runner",
    "check_world",
    "evaluate",
    "make_plan",
    "make_policy",
    "replay",
    "run_episode",
]

_NAMES_OF_ROOMS = {
    "maze_gym.errors": ("InvalidArgument", "MazeGymError"),
    "maze_gym.evaluation": (
        "EvalPlan",
        "EvaluationResult",
        "build_runner",
        "evaluate",
        "make_plan",
        "replay",
        "run_episode",
    ),
    "maze_gym.llm": ("Chat", "ExperimentConfig", "Message"),
    "maze_gym.policies": ("Policy", "make_policy"),
    "maze_gym.testing": ("check_world",),
    "maze_gym.wrappers": (
        "ContextWindow",
        "EgocentricView",
        "ImageObservation",
        "OracleShaping",
        "TextObservation",
        "TextView",
        "VectorOracleShaping",
    ),
}
_ROOMS = {name: room for room, names in _NAMES_OF_ROOMS.items() for name in names}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # a type checker would take any name that a module's __getattr__ may know

    def __getattr__(name: str) -> object:
        """A public name, with the room that defines it loaded now (PEP 562): importing stays light."""
        import importlib

        if name not in _ROOMS:
            from maze_gym.close_names import did_you_mean

            msg = f"module 'maze_gym' has no attribute {name!r}{did_you_mean(name, __all__)}"
            raise AttributeError(msg, name=name)
        value = globals()[name] = getattr(importlib.import_module(_ROOMS[name]), name)
        return value


register_worlds()
