"""You play: arrow keys, H for a hint, U to undo, Escape to leave.

python examples/04_human_play.py --env PacmanArray-Random-v0
"""

import argparse

from maze_gym.play import play
from mazegen.rendering.canvas import NoDisplay


def main() -> None:
    """Open a window and play until it is closed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--env", default="MazeNLU-v0", help="a Gymnasium id; `maze-gym list` names them all")
    parser.add_argument("--levels", help="a file, folder or suite; by default the world's own suite")
    parser.add_argument("--record", help="append each episode to this file")
    options = parser.parse_args()
    try:
        play(options.env, levels=options.levels, record=options.record)
    except NoDisplay as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
