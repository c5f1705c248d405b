"""Reports of runs: one self-contained HTML page, plots, tables and moving pictures."""

from maze_gym.evaluation.report.examining import DEFAULT_REPLAYS, Material, examine
from maze_gym.evaluation.report.page import page
from maze_gym.evaluation.report.tables import Table, tables

__all__ = ["DEFAULT_REPLAYS", "Material", "Table", "examine", "page", "tables"]
