"""Many mazes played at once by compiled loops over arrays; the vector env of ``maze_gym`` stands on it."""
