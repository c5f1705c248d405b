"""Many mazes at once: pools of levels, and the arrays that the compiled loops work on."""
