"""Small levels that the tests of maze_gym share."""

from __future__ import annotations

from pathlib import Path

from mazegen.rendering import picture

SHARED_MAZES = Path(__file__).parents[2].parent / "shared" / "data" / "mazes"

CORRIDOR = picture.parse(
    """
    #####
    #>.*#
    #####
    """,
    level_id="corridor",
)
# Five rows, nine columns: nothing that mixes up rows and columns survives it.
ALL_KINDS = picture.parse(
    """
    #########
    #S..#...#
    #r..R.=*#
    #...#0..#
    #########
    """,
    level_id="all_kinds",
)
TALL = picture.parse(
    """
    #####
    #v..#
    #.#.#
    #.#.#
    #.#.#
    #.#.#
    #.#.#
    #..*#
    #####
    """,
    level_id="tall",
)
# One key, used up by either door: the wrong door leaves no way to the goal.
TRAP = picture.parse(
    """
    #######
    #.R...#
    #>r####
    ##.R.*#
    #######
    """,
    level_id="trap",
    key_consumption=True,
)
UNSOLVABLE = picture.parse(
    """
    ######
    #S.R*#
    ######
    """,
    level_id="unsolvable",
)
