"""``Maze`` to the object that a maze file holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mazegen.codec.reading import FORMAT_VERSION, RESERVED_SLOTS

if TYPE_CHECKING:
    from mazegen.core.maze import Maze
    from mazegen.core.parts import Position, Validation


def _xy(position: Position) -> list[int]:
    return [int(position.col), int(position.row)]  # numpy integers are no JSON


def to_dict(maze: Maze) -> dict[str, Any]:
    """A maze as the object that its file holds."""
    columns = (maze.walls[col :: maze.cols] for col in range(maze.cols))
    walls = [[col, row] for col, column in enumerate(columns) for row, wall in enumerate(column) if wall]
    payload: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "task_id": maze.level_id,
        "seed": maze.seed,
        "difficulty_tier": maze.difficulty_tier,
        "description": maze.description,
        "max_steps": maze.max_steps,
        "maze": {
            "dimensions": [maze.cols, maze.rows],
            "walls": walls,
            "start": _xy(maze.start),
            "start_facing": maze.start_facing.name,
            "goal": _xy(maze.goal),
        },
        "mechanisms": _mechanisms_to_dict(maze),
        "rules": {
            "key_consumption": maze.rules.key_consumption,
            "switch_type": "toggle",
            "hidden_mechanisms": list(maze.rules.hidden_mechanisms),
            "observability": maze.rules.observability,
            "view_size": maze.rules.view_size,
        },
        "goal": {"type": "reach_position", "target": _xy(maze.goal), "auxiliary_conditions": []},
        "metadata": maze.metadata,
        "validation": None if maze.validation is None else _validation_to_dict(maze.validation),
    }
    return {name: value for name, value in payload.items() if value is not None}


def _mechanisms_to_dict(maze: Maze) -> dict[str, list[dict[str, Any]]]:
    written: dict[str, list[dict[str, Any]]] = {
        "keys": [{"id": k.id, "position": _xy(k.position), "color": k.color} for k in maze.keys],
        "doors": [
            {
                "id": d.id,
                "position": _xy(d.position),
                "requires_key": d.color,
                "initial_state": "open" if d.initially_open else "locked",
            }
            for d in maze.doors
        ],
        "switches": [
            {
                "id": s.id,
                "position": _xy(s.position),
                "controls": list(s.controls),
                "switch_type": s.kind,
                "initial_state": "on" if s.initially_on else "off",
            }
            | ({"color": s.color} if s.color else {})
            for s in maze.switches
        ],
        "gates": [
            {
                "id": g.id,
                "position": _xy(g.position),
                "initial_state": "open" if g.initially_open else "closed",
            }
            | ({"color": g.color} if g.color else {})
            for g in maze.gates
        ],
    }
    return written | {slot: [] for slot in RESERVED_SLOTS}


def _validation_to_dict(validation: Validation) -> dict[str, Any]:
    return {
        "is_valid": validation.is_valid,
        "reasons": list(validation.reasons),
        "optimal_cost": validation.optimal_cost,
        "optimal_path": [_xy(position) for position in validation.optimal_path],
        "interactions": list(validation.interactions),
        "optimal_actions": list(validation.optimal_actions),
        "necessity": dict(validation.necessity),
    }


def as_lines(payload: dict[str, Any]) -> str:
    """Indent the outer two levels and keep everything below on one line: short, and it diffs well."""
    outer = []
    for name, value in payload.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"    {json.dumps(key)}: {_plain(item)}" for key, item in value.items())
            outer.append(f"  {json.dumps(name)}: {{\n{inner}\n  }}")
        else:
            outer.append(f"  {json.dumps(name)}: {_plain(value)}")
    return "{\n" + ",\n".join(outer) + "\n}"


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
