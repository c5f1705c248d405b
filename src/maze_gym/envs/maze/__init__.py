"""MazeNLU: keys and doors, switches and gates. The rules themselves live in ``mazegen.core.rules``."""
