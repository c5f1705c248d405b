"""``python -m maze_gym.play``: the same as ``maze-gym play``."""

from maze_gym.cli import main

if __name__ == "__main__":
    import sys

    sys.argv[1:1] = ["play"]
    main()
