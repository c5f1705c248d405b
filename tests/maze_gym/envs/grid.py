"""A grid of arguments for every registered id: any two values of two arguments come together once."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from maze_gym import suites
from maze_gym.envs.sparc.levels import load as load_puzzles
from maze_gym.registration import PRESETS, WORLDS

Arguments = dict[str, Any]
Choices = list[list[Arguments]]  # of each list one is chosen
WORLD_OF = {world.id: world.id for world in WORLDS} | {preset.id: preset.world for preset in PRESETS}
IDS = tuple(WORLD_OF)
_MAZES = suites.load("starter")
_PUZZLES = load_puzzles("spatial")
_MAZE_SPEC = {"topology": "dense_maze", "chain": "k", "rows": 7, "cols": 7}
_SMALL = ["PO.", ".W.", "..G"]
_SMALL_SPEC = {"rows": 6, "cols": 6, "ghosts": [1, 2]}
_CALM_SPEC = _SMALL_SPEC | {"minds": [{"chase": "path"}]}
_LUCKY, _FLEEING = {"random_ties": True}, {"scatter": True, "random_ties": True, "flee": True}
_PICTURES: Choices = [
    [{"render_mode": None}, {"render_mode": "ansi"}, {"render_mode": "rgb_array"}],
    [{}, {"render_size": (150, 170)}, {"cell_px": 5}],
]
# Where levels come from excludes each other, so each way is one choice.
_LEVELS: dict[str, list[Arguments]] = {
    "MazeNLU-v0": [
        {},
        {"maze": _MAZES[2]},
        {"mazes": list(_MAZES[:2])},
        {"suite": "starter"},
        {"spec": _MAZE_SPEC, "num_levels": 1},
        {"spec": _MAZE_SPEC, "num_levels": 3, "start_level": 2},
        {"tier": 1, "num_levels": 1},
        {"tier": 2},
    ],
    "SpatialGym-v0": [
        {},
        {"puzzle": _PUZZLES[3]},
        {"puzzles": list(_PUZZLES[:2])},
        {"puzzles": "spatial", "difficulty": [1]},
        {"spec": {"level": 1}, "num_levels": 1},
        {"tier": 2, "num_levels": 2, "start_level": 1},
        {"tier": 1},
    ],
    "PacmanArray-v0": [
        {},
        {"layout": "classic", "ghosts": _LUCKY},
        {"layout": _SMALL, "ghosts": _FLEEING},
        {"layout": _SMALL, "ghosts": {"chase": "path"}},
        {"layouts": ["classic", _SMALL], "ghosts": _LUCKY},
        {"spec": _SMALL_SPEC, "num_levels": 1},
        {"spec": _SMALL_SPEC, "num_levels": 2, "start_level": 3},
        {"spec": _CALM_SPEC, "num_levels": 1},
        {"spec": _SMALL_SPEC},
    ],
}
_OTHERS: dict[str, Choices] = {
    "MazeNLU-v0": [
        [{"finish": "arrival"}, {"finish": "done_action"}],
        [{}, {"max_steps": 7}],
        [{}, {"max_shape": (30, 30)}],
        [{"orientation": False}, {"orientation": True}],
        *_PICTURES,
    ],
    "SpatialGym-v0": [
        [{}, {"backtracking": True}],
        [{}, {"max_steps": 6}, {"max_steps": "board"}],
        [{}, {"max_shape": (25, 25)}],
        *_PICTURES,
    ],
    "PacmanArray-v0": [
        [{}, {"max_steps": 170}],
        [{}, {"max_shape": (20, 20)}],
        [{"show_pellets": 0}, {"show_pellets": 4}],
        *_PICTURES,
    ],
}
_NUMBERED: list[Arguments] = [{"num_levels": 1}, {"num_levels": 1, "start_level": 5}, {"num_levels": 2}, {}]


def choices_of(env_id: str) -> Choices:
    """What can be chosen for an id; a preset that generates levels has chosen which."""
    world = WORLD_OF[env_id]
    generates = any(preset.id == env_id and preset.generates for preset in PRESETS)
    return [_NUMBERED if generates else _LEVELS[world], *_OTHERS[world]]


def singles(env_id: str) -> list[Arguments]:
    """Each way of choosing levels, with nothing else."""
    return choices_of(env_id)[0]


def pairs(env_id: str) -> list[Arguments]:
    """So many combinations that each two values of two arguments come together in one of them."""
    choices = choices_of(env_id)
    missing = {
        frozenset(pair)
        for one, two in combinations(range(len(choices)), 2)
        for pair in product(
            *([(place, value) for value in range(len(choices[place]))] for place in (one, two))
        )
    }
    chosen = []
    while missing:
        row = dict(min(sorted(pair) for pair in missing))
        for place, values in enumerate(choices):
            if place not in row:
                partners = tuple(row.items())
                new = [
                    sum(frozenset({(place, value), partner}) in missing for partner in partners)
                    for value in range(len(values))
                ]
                row[place] = new.index(max(new))
        missing -= {frozenset(pair) for pair in combinations(row.items(), 2)}
        chosen.append({k: v for place, value in row.items() for k, v in choices[place][value].items()})
    return chosen
