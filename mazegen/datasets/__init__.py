"""Folders of many proved mazes; users run ``python -m mazegen`` or ``mazegen.generate_dataset``."""
