"""The level editor: build a maze with mouse and keys, and see at once whether it can be solved."""

from maze_gym.edit.app import EditorApp
from maze_gym.edit.editor import Editor, Tool
from maze_gym.edit.launch import edit

__all__ = ["Editor", "EditorApp", "Tool", "edit"]
