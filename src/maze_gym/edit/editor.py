"""The editor without its window: a maze, a tool, a history, and a verdict that keeps up."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from maze_gym.edit import changes
from maze_gym.edit.changes import Change, Refused
from maze_gym.edit.verdict import Verdict, judge
from mazegen import codec
from mazegen.core.maze import KEY_COLORS, Gate, Maze, Position, Switch
from mazegen.errors import NotWritten

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

MAX_HISTORY = 1000  # steps back


class Tool(Enum):
    """What a click does."""

    WALL = "wall"
    FLOOR = "erase"
    START = "start"
    GOAL = "goal"
    KEY = "key"
    DOOR = "door"
    SWITCH = "switch"
    GATE = "gate"
    LINK = "link switch to gate"
    FLIP = "open / shut, on / off"
    KIND = "switch only turns on"


_PAINTED: Final = (Tool.WALL, Tool.FLOOR)  # tools that go on while the mouse is dragged
_REMARKS: Final = {  # on a maze that was saved, by whether it can be solved
    True: "",
    False: " It cannot be solved, and the file says so.",
    None: " It was too large to be proved, and the file says so.",
}


class Editor:
    """One maze being edited.

    Args:
        maze: where to begin.
        path: where it is saved.

    Attributes:
        maze: the maze as it is now; always one that can be played and saved.
        tool: what a click does.
        color: of the next key or door.
        message: what happened last, or why it did not.
        selected: the switch that the link tool has in hand.
        is_saved: whether the file holds what is on the screen.
    """

    def __init__(self, maze: Maze, path: str | os.PathLike[str]) -> None:
        """Begin with a maze; nothing is written until ``save``."""
        self.maze = maze
        self.path = Path(path)
        self.tool = Tool.WALL
        self.color = KEY_COLORS[0]
        self.message = "Click to build; the keys are on the right."
        self.selected: Switch | None = None
        self.is_saved = True
        self._past: list[Maze] = []
        self._future: list[Maze] = []
        self._verdict: Verdict | None = None
        self._judged: Maze | None = None

    @property
    def verdict(self) -> Verdict | None:
        """What is known of the maze as it is now; None until ``judge`` was called."""
        return self._verdict if self._judged is self.maze else None

    def judge(self) -> Verdict:
        """Find out whether the maze can be solved, how fast, and what in it is not needed."""
        if self._judged is not self.maze or self._verdict is None:
            self._verdict, self._judged = judge(self.maze), self.maze
        return self._verdict

    def choose(self, tool: Tool) -> None:
        """Take a tool in hand."""
        self.tool = tool
        self.selected = None
        self.message = f"Tool: {tool.value}."

    def choose_color(self, color: str) -> None:
        """Set the colour of the next key or door."""
        self.color = color
        self.message = f"The next key or door is {color}."

    def use(self, at: Position, *, erase: bool = False, dragged: bool = False) -> None:
        """Use the tool on a cell; ``erase`` clears the cell whatever the tool is."""
        tool = Tool.FLOOR if erase else self.tool
        if dragged and tool not in _PAINTED:
            return
        if tool is Tool.LINK:
            self._link(at)
            return
        maze = self.maze
        acts: dict[Tool, Callable[[], Change]] = {
            Tool.WALL: lambda: changes.set_wall(maze, at, solid=True),
            Tool.FLOOR: lambda: changes.set_wall(maze, at, solid=False),
            Tool.START: lambda: changes.set_start(maze, at),
            Tool.GOAL: lambda: changes.set_goal(maze, at),
            Tool.KEY: lambda: changes.add(maze, "key", at, self.color),
            Tool.DOOR: lambda: changes.add(maze, "door", at, self.color),
            Tool.SWITCH: lambda: changes.add(maze, "switch", at, ""),
            Tool.GATE: lambda: changes.add(maze, "gate", at, ""),
            Tool.FLIP: lambda: changes.flip(maze, at),
            Tool.KIND: lambda: changes.change_kind(maze, at),
        }
        self.apply(acts[tool])

    def apply(self, change: Callable[[], Change]) -> None:
        """Make a change that can be undone, or say why it cannot be made."""
        try:
            after, message = change()
        except Refused as refusal:
            self.message = f"No: {refusal}."
            return
        self.message = message
        if after != self.maze:
            self._past = [*self._past[-MAX_HISTORY:], self.maze]
            self._future.clear()
            self.maze = after
            self.is_saved = False
            if self.selected is not None:  # a change may rebuild any switch, or take this one away
                held = self.selected.id
                self.selected = next((switch for switch in after.switches if switch.id == held), None)

    def turn_start(self) -> None:
        """Turn the agent's first facing to the right."""
        self.apply(lambda: changes.turn_start(self.maze))

    def change_key_rule(self) -> None:
        """Let keys be used up, or kept."""
        self.apply(lambda: changes.change_key_rule(self.maze))

    def resize(self, side: changes.Side, by: int) -> None:
        """Add or take away a row at the bottom or a column at the right."""
        self.apply(lambda: changes.resize(self.maze, side, by))

    def undo(self) -> None:
        """Take the last change back."""
        self._travel(self._past, self._future, "Undone.", "There is nothing to undo.")

    def redo(self) -> None:
        """Make the last change that was taken back again."""
        self._travel(self._future, self._past, "Done again.", "There is nothing to redo.")

    def save(self) -> None:
        """Write the maze with its proof; says so, or why it could not be written."""
        verdict = self.judge()
        try:
            codec.dump(replace(self.maze, validation=verdict.validation), self.path)
        except NotWritten as error:
            self.message = f"No: {error}."
            return
        self.is_saved = True
        self.message = f"Saved {self.path.name}.{_REMARKS[verdict.is_solvable]}"

    def _link(self, at: Position) -> None:
        thing = changes.thing_at(self.maze, at)
        switch, self.selected = self.selected, None
        if isinstance(thing, Switch):
            self.selected = thing
            self.message = f"Switch {thing.id}: now click a gate."
        elif switch is None:
            self.message = f"No: {at} holds no switch; click a switch first, then its gate."
        elif not isinstance(thing, Gate):
            self.message = f"No: {at} holds no gate; click the switch again, then its gate."
        else:
            self.apply(lambda: changes.link(self.maze, switch, thing))

    def _travel(self, source: list[Maze], target: list[Maze], done: str, nothing: str) -> None:
        self.selected = None
        if not source:
            self.message = nothing
            return
        target.append(self.maze)
        self.maze = source.pop()
        self.is_saved = False
        self.message = done
