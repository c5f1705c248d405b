"""The levels of the bundled suite ``starter``, drawn by hand: each adds one idea to those before it.

``python tools/starter_levels.py`` solves them and writes ``src/maze_gym/suites/starter``; running it
again writes the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mazegen import codec
from mazegen.rendering import picture
from mazegen.search import solver
from mazegen.validation.validator import validate

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

SUITE = Path(__file__).parent.parent / "src" / "maze_gym" / "suites" / "starter"


class Drawing(NamedTuple):
    """A level as it is drawn here."""

    name: str
    description: str
    tier: int
    picture: str
    controls: dict[str, tuple[str, ...]] | None = None
    key_consumption: bool = False
    distractors: tuple[str, ...] = ()  # ids of what is not needed
    traps: bool = False  # whether one may get stuck


DRAWINGS = (
    Drawing("straight", "Walk east.", 1, """
        #########
        #>.....*#
        #########
    """),
    Drawing("open_room", "Cross an empty room.", 1, """
        ########
        #S.....#
        #......#
        #......#
        #......#
        #.....*#
        ########
    """),
    Drawing("bend", "The goal is near as the crow flies and far on foot.", 1, """
        #########
        #S#*....#
        #.#####.#
        #.......#
        #########
    """),
    Drawing("three_routes", "Three ways lead to the goal; one is shorter than the others.", 1, """
        ###########
        #.........#
        #.#######.#
        #S.......*#
        #.##.####.#
        #.........#
        ###########
    """),
    Drawing("spiral", "A corridor that winds inwards.", 2, """
        ###########
        #S........#
        #########.#
        #.......#.#
        #.#####.#.#
        #.#*..#.#.#
        #.###.#.#.#
        #.....#...#
        ###########
    """),
    Drawing("first_key", "Fetch the red key and walk through the red door.", 2, """
        #########
        #S..#...#
        #...R..*#
        #r..#...#
        #########
    """),
    Drawing("first_switch", "Face the switch and toggle it; the gate opens.", 2, """
        #########
        #S..#...#
        #...=..*#
        #0..#...#
        #########
    """),
    Drawing("key_then_switch", "The switch lies behind the door.", 3, """
        ###########
        #S.#..#...#
        #..R..=..*#
        #r.#.0#...#
        ###########
    """),
    Drawing("switch_then_key", "The key lies behind the gate.", 3, """
        ###########
        #S.#..#...#
        #..=..B..*#
        #0.#.b#...#
        ###########
    """),
    Drawing("two_keys", "Two doors of two colours, one after the other.", 3, """
        ############
        #S.y#..b#..#
        #...Y...B.*#
        #...#...#..#
        ############
    """),
    Drawing("wrong_key", "Only one of the two keys fits.", 3, """
        ##########
        #g..#....#
        #.S.P...*#
        #..p#....#
        ##########
    """, distractors=("k1",)),
    Drawing("one_key_two_doors", "The key is used up: choose the door that leads on.", 4, """
        ###########
        #S..R.#...#
        #...###...#
        #.r.R....*#
        ###########
    """, key_consumption=True, distractors=("d1",), traps=True),
    Drawing("first_things_first", "The switch opens one gate and shuts the other: key first.", 4, """
        ##############
        #b.:.v..=..B*#
        #####0########
        ##############
    """, controls={"s1": ("g1", "g2")}),
    Drawing("long_chain", "Key, switch, key: three locks between you and the goal.", 4, """
        ##############
        #S.#..#..#...#
        #..R..=..B..*#
        #.r#.0#.b#...#
        ##############
    """),
)  # fmt: skip


def proved(drawing: Drawing) -> Maze:
    """The maze of a drawing, with its proof."""
    maze = picture.parse(
        drawing.picture,
        controls=drawing.controls,
        key_consumption=drawing.key_consumption,
        level_id=f"starter/{drawing.name}",
    )
    declared: dict[str, object] = {"traps": True} if drawing.traps else {}
    if drawing.distractors:
        declared["distractors"] = [{"element_id": name} for name in drawing.distractors]
    maze = replace(
        maze,
        description=drawing.description,
        difficulty_tier=drawing.tier,
        metadata_json=json.dumps(declared, sort_keys=True),
    )
    report = validate(maze)
    if not report.passed:
        msg = f"{maze.level_id}: {'; '.join(report.to_validation().reasons)}"
        raise SystemExit(msg)
    return replace(maze, validation=report.to_validation())


def main() -> None:
    """Write the suite and its manifest."""
    SUITE.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, drawing in enumerate(DRAWINGS, 1):
        maze = proved(drawing)
        file = f"{number:02d}_{drawing.name}.json"
        codec.dump(maze, SUITE / file)
        rows.append(
            {
                "file": file,
                "level_id": maze.level_id,
                "content_hash": maze.content_hash,
                "optimal_actions": len(solver.solve(maze).actions),
            }
        )
        print(f"{file:28} {rows[-1]['optimal_actions']:3} actions")
    manifest = {"suite": "starter", "levels": rows}
    (SUITE / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
