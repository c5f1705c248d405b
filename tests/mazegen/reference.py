"""The maze rules told a second time, from the table in DESIGN.md §4: the oracle of the tests.

Shares nothing with ``mazegen.core.rules``: sets of ids, words and positions instead of masks and codes, an
explicit inventory instead of a derived one, and searches that are as plain as they come.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mazegen.core.maze import Maze

ACTIONS = ("TURN_LEFT", "TURN_RIGHT", "MOVE_FORWARD", "PICKUP", "TOGGLE", "DONE")
COMPASS = ("NORTH", "EAST", "SOUTH", "WEST")
DELTA = {"NORTH": (-1, 0), "EAST": (0, 1), "SOUTH": (1, 0), "WEST": (0, -1)}


class World(NamedTuple):
    """Everything that can change, by name."""

    at: tuple[int, int]
    facing: str
    inventory: tuple[str, ...]  # colours, sorted; follows from the next two, kept apart on purpose
    taken: frozenset[str]  # ids of keys
    opened: frozenset[str]  # ids of doors
    on: frozenset[str]  # ids of switches


class Result(NamedTuple):
    """What a step led to; ``blocker`` is "wall", the id of a door or gate, or None."""

    world: World
    event: str
    blocker: str | None


class Reference:
    """One maze with its own idea of every rule."""

    def __init__(self, maze: Maze, finish: str = "arrival") -> None:
        self.finish = finish
        self.consumes = maze.rules.key_consumption
        self.goal = tuple(maze.goal)
        self.walls = {
            (row, col)
            for row in range(maze.rows)
            for col in range(maze.cols)
            if maze.walls[row * maze.cols + col]
        }
        self.keys = {tuple(key.position): key for key in maze.keys}
        self.doors = {tuple(door.position): door for door in maze.doors}
        self.switches = {tuple(switch.position): switch for switch in maze.switches}
        self.gates = {tuple(gate.position): gate for gate in maze.gates}
        self.start = World(
            at=(maze.start.row, maze.start.col),
            facing=maze.start_facing.name,
            inventory=(),
            taken=frozenset(),
            opened=frozenset(door.id for door in maze.doors if door.initially_open),
            on=frozenset(switch.id for switch in maze.switches if switch.initially_on),
        )

    def any_on(self, gate: str, on: frozenset[str]) -> bool:
        """Whether any switch that controls a gate is on."""
        return any(switch.id in on and gate in switch.controls for switch in self.switches.values())

    def is_gate_open(self, world: World, position: tuple[int, int]) -> bool:
        """Whether the gate at a position is open: as at the start, unless "any is on" has flipped."""
        gate = self.gates[position]
        if self.any_on(gate.id, world.on) == self.any_on(gate.id, self.start.on):
            return gate.initially_open
        return not gate.initially_open

    def step(self, world: World, action: str) -> Result:
        """One action, row by row of the table."""
        row, col = world.at
        down, right = DELTA[world.facing]
        ahead = (row + down, col + right)
        if action in ("TURN_LEFT", "TURN_RIGHT"):
            turn = -1 if action == "TURN_LEFT" else 1
            facing = COMPASS[(COMPASS.index(world.facing) + turn) % 4]
            return Result(world._replace(facing=facing), "TURNED", None)
        if action == "MOVE_FORWARD":
            return self._move(world, ahead)
        if action == "PICKUP":
            key = self.keys.get(world.at)
            if key is None or key.id in world.taken:
                return Result(world, "NOTHING", None)
            held = tuple(sorted((*world.inventory, key.color)))
            return Result(world._replace(inventory=held, taken=world.taken | {key.id}), "PICKUP", None)
        if action == "TOGGLE":
            switch = self.switches.get(ahead)
            if switch is None or (switch.kind == "one_shot" and switch.id in world.on):
                return Result(world, "NOTHING", None)
            return Result(world._replace(on=world.on ^ {switch.id}), "TOGGLED", None)
        return Result(world, "DONE" if world.at == self.goal else "WRONG_DONE", None)

    def _move(self, world: World, ahead: tuple[int, int]) -> Result:
        after = world._replace(at=ahead)
        if ahead in self.walls:
            return Result(world, "BLOCKED", "wall")
        if ahead in self.gates and not self.is_gate_open(world, ahead):
            return Result(world, "BLOCKED", self.gates[ahead].id)
        door = self.doors.get(ahead)
        if door is not None and door.id not in world.opened:
            if door.color not in world.inventory:
                return Result(world, "BLOCKED", door.id)
            held = list(world.inventory)
            if self.consumes:
                held.remove(door.color)
            after = after._replace(inventory=tuple(held), opened=world.opened | {door.id})
        done = ahead == self.goal and self.finish == "arrival"
        return Result(after, "DONE" if done else "MOVED", None)

    def explore(self) -> dict[World, list[Result]]:
        """Every world that is reached before the episode ends, with what each action leads to."""
        graph: dict[World, list[Result]] = {}
        waiting = deque([self.start])
        while waiting:
            world = waiting.popleft()
            if world in graph:
                continue
            graph[world] = [self.step(world, action) for action in ACTIONS]
            waiting.extend(result.world for result in graph[world] if result.event != "DONE")
        return graph


def distances(graph: dict[World, list[Result]]) -> dict[World, int]:
    """Fewest actions to success from each world that has any: relaxed until nothing changes."""
    before: dict[World, set[World]] = {world: set() for world in graph}
    found: dict[World, int] = {}
    for world, results in graph.items():
        for result in results:
            if result.event == "DONE":
                found[world] = 1
            else:
                before[result.world].add(world)
    frontier, steps = set(found), 1
    while frontier:
        steps += 1
        frontier = {world for reached in frontier for world in before[reached]} - found.keys()
        found |= dict.fromkeys(frontier, steps)
    return found


def fewest_moves(graph: dict[World, list[Result]], start: World) -> tuple[int, int] | None:
    """Fewest cell moves to success and, among such walks, the fewest actions; label correcting."""
    best: dict[World, tuple[int, int]] = {start: (0, 0)}
    success: list[tuple[int, int]] = []
    waiting = deque([start])
    while waiting:
        world = waiting.popleft()
        moves, steps = best[world]
        for result in graph[world]:
            cost = (moves + (result.world.at != world.at), steps + 1)
            if result.event == "DONE":
                success.append(cost)
            elif result.world not in best or cost < best[result.world]:
                best[result.world] = cost
                waiting.append(result.world)
    return min(success, default=None)
