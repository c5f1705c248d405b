"""Make the pictures of the docs: a contact sheet of each topology, and one of every symbol.

``python tools/pictures.py`` writes docs/images; look at what changed before it is committed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import Topology
from mazegen.generation.tiers import TIERS, sample_spec
from mazegen.rendering import picture, png
from mazegen.rendering.contact_sheet import SheetLayout, contact_sheets
from mazegen.rendering.drawing import Style
from mazegen.rendering.frames import FrameComposer, FrameSize

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PER_TIER = 4
SEED = 7
LAYOUT = SheetLayout(columns=PER_TIER, rows=len(TIERS), thumb_px=200, gap_px=10)
SYMBOLS = """
    ###########
    #S.rgbypo.#
    #..RGBYPO.#
    #.0=.1:.=.#
    #........*#
    ###########
"""


def topology_sheet(topology: Topology) -> bytes:
    """Four mazes of each tier."""
    mazes = []
    for tier in TIERS:
        for number in range(PER_TIER):
            spec = sample_spec(np.random.default_rng((SEED, tier, number)), tier, topology=topology)
            maze = generate(spec, number)
            mazes.append(replace(maze, level_id=f"tier {tier}, chain {spec.chain}"))
    (page,) = contact_sheets(mazes, LAYOUT)
    return png.encode(page, level=9)


def symbols() -> tuple[bytes, bytes]:
    """Everything there is: at the start, and with keys taken, doors opened and switches flipped."""
    maze = picture.parse(SYMBOLS, controls={"s1": ["g1", "g3"], "s2": ["g2"]})
    first, second = maze.switches
    maze = replace(maze, switches=(first, replace(second, kind="one_shot")))
    composer = FrameComposer(maze, size=FrameSize(cell_px=48), style=Style(orientation=True))
    start = composer.drawing.board.start
    later = start._replace(taken=0b010101, opened=0b010101, on=start.on ^ 0b11, facing=1)
    later = later._replace(cell=start.cell + 1)
    at_first, at_last = (png.encode(composer.frame(state), level=9) for state in (start, later))
    return at_first, at_last


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for topology in Topology:
        (IMAGES / f"topology-{topology.value}.png").write_bytes(topology_sheet(topology))
    for name, data in zip(("symbols-start", "symbols-later"), symbols(), strict=True):
        (IMAGES / f"{name}.png").write_bytes(data)


if __name__ == "__main__":
    main()
