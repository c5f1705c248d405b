"""The four directions as steps on the board, in the order of ``Facing``: north, east, south, west."""

from __future__ import annotations

ROW_STEP = (-1, 0, 1, 0)
COL_STEP = (0, 1, 0, -1)
