"""Mazes of keys, doors, switches and gates: made by a description, solved exactly, proved, saved and drawn.

Everything that a user needs stands here; the packages below this one are private.

>>> import mazegen
>>> maze = mazegen.parse('''
...     #######
...     #>.r#.#
...     #...R*#
...     #######
... ''')
>>> solution = mazegen.solve(maze)
>>> len(solution.actions), solution.interactions
(8, ('pickup:k1', 'open:d1'))
>>> mazegen.validate(maze).passed
True

A maze may also be made to order, and played move by move:

>>> spec = mazegen.MazeGenSpec(mazegen.Topology.SIDE_VAULT, "k", rows=9, cols=9)
>>> maze = mazegen.generate(spec, seed=7)
>>> board = mazegen.compile_board(maze)
>>> outcome = mazegen.step(board, board.start, mazegen.Action.TURN_LEFT)
>>> mazegen.Event(outcome.event).name
'TURNED'

Numba, which compiles the searches, is loaded when something is first solved, generated or validated.
"""

from __future__ import annotations

from mazegen.core import interrupts

interrupts.answer_from_the_start()  # before anything that takes long to import

from importlib import import_module  # noqa: E402 - see above
from typing import TYPE_CHECKING  # noqa: E402

from mazegen.core.maze import Maze, show_mazes_by  # noqa: E402

if TYPE_CHECKING:
    from mazegen.codec import dump, load
    from mazegen.core.parts import Door, Facing, Gate, Key, Position, Rules, Switch
    from mazegen.core.rules import Action, Board, Event, State, compile_board, step
    from mazegen.errors import GenerationFailed, MazeError, MazeFormatError, UnsolvableMaze
    from mazegen.generation.orchestrator import generate
    from mazegen.generation.spec import Distractors, MazeGenSpec, Topology
    from mazegen.generation.tiers import sample_spec
    from mazegen.rendering.picture import parse
    from mazegen.rendering.showing import draw, picture
    from mazegen.search.solver import solve
    from mazegen.validation.validator import validate

__all__ = [
    "Action",
    "Board",
    "Distractors",
    "Door",
    "Event",
    "Facing",
    "Gate",
    "GenerationFailed",
    "Key",
    "Maze",
    "MazeError",
    "MazeFormatError",
    "MazeGenSpec",
    "Position",
    "Rules",
    "State",
    "Switch",
    "Topology",
    "UnsolvableMaze",
    "compile_board",
    "draw",
    "dump",
    "generate",
    "load",
    "parse",
    "picture",
    "sample_spec",
    "solve",
    "step",
    "validate",
]

_HOMES = {  # modules that are imported when one of their names is first used
    "mazegen.codec": ("dump", "load"),
    "mazegen.core.parts": ("Door", "Facing", "Gate", "Key", "Position", "Rules", "Switch"),
    "mazegen.core.rules": ("Action", "Board", "Event", "State", "compile_board", "step"),
    "mazegen.errors": ("GenerationFailed", "MazeError", "MazeFormatError", "UnsolvableMaze"),
    "mazegen.generation.orchestrator": ("generate",),
    "mazegen.generation.spec": ("Distractors", "MazeGenSpec", "Topology"),
    "mazegen.generation.tiers": ("sample_spec",),
    "mazegen.rendering.picture": ("parse",),
    "mazegen.rendering.showing": ("draw", "picture"),
    "mazegen.search.solver": ("solve",),
    "mazegen.validation.validator": ("validate",),
}

if not TYPE_CHECKING:  # for a type checker, all names are those imported above

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        for module, names in _HOMES.items():
            if name in names:
                found = globals()[name] = getattr(import_module(module), name)
                return found
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)


def __dir__() -> list[str]:
    return [*__all__]


def _svg_of(maze: Maze) -> str:
    from mazegen.rendering.showing import draw

    return draw(maze)._repr_svg_()


# The picture is drawn by a room that stands on the one of ``Maze``, so here it is handed down.
show_mazes_by(_svg_of)
