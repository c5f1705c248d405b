"""How hard a maze is: what exact search measures, and how often two simple players succeed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mazegen.core import declared
from mazegen.core.randomness import stream
from mazegen.search.subject import MAX_STATES, as_subject

if TYPE_CHECKING:
    from mazegen.core.maze import Maze
    from mazegen.generation.orchestrator import Proved

EPISODES = 8  # of each player
PATIENCE = 4  # an episode of a player ends after so many times the optimum


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Measures of one maze; a function of what is played, whatever the maze is called.

    Attributes:
        optimal_actions: actions of a shortest plan.
        optimal_cost: fewest cell moves.
        turns: turns in the shortest plan that is stored.
        states: reachable states, not counting what no door and no gate listens to.
        dead_states: those without a way to the goal.
        plans: number of shortest plans, up to 2**30.
        branching: mean number of different other states that one action leads to.
        chain_depth: steps of the logic chain.
        distractors: mechanisms and rooms that are declared not to be needed.
        floor: cells that can be walked on.
        random_success: share of ``EPISODES`` in which uniformly random actions reach the goal.
        greedy_success: the same for ``walkers.greedy_action``.
    """

    optimal_actions: int
    optimal_cost: int
    turns: int
    states: int
    dead_states: int
    plans: int
    branching: float
    chain_depth: int
    distractors: int
    floor: int
    random_success: float
    greedy_success: float

    def to_dict(self) -> dict[str, int | float]:
        """Plain JSON values."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}


def measure(maze: Maze, *, max_states: int = MAX_STATES, proved: Proved | None = None) -> Difficulty:
    """Measure a solvable maze.

    Args:
        maze: the maze.
        max_states: the most states a search may hold.
        proved: the maze as the generator hands it out; saves the search.

    Raises:
        UnsolvableMaze: there is no way to the goal.
        SearchLimitExceeded: more than ``max_states`` states are reachable.
    """
    from mazegen.errors import SearchLimitExceeded, UnsolvableMaze
    from mazegen.search import proving
    from mazegen.search import walkers as trials

    if proved is None:
        subject = as_subject(maze, max_states)
        layout, start = subject.layout, subject.start
        found = proving.survey(layout, start, max_states)
    else:
        layout, found = proved.layout, proved.found
        start = proving.Start(maze.cell(maze.start), int(maze.start_facing), 0, 0, 0)
    if found.optimum == proving.LIMIT:
        msg = f"{maze.level_id}: more than {max_states:,} states"
        raise SearchLimitExceeded(msg)
    if found.optimum < 0:
        msg = f"{maze.level_id}: no sequence of actions leads to the goal"
        raise UnsolvableMaze(msg)
    rng = stream("trials", maze.content_hash)
    ends, length = (maze.cell(maze.goal), maze.cols), (EPISODES, PATIENCE * int(found.optimum))
    by_chance, greedily = trials.successes(layout, start, ends, rng, length)
    said = declared.read(maze)
    return Difficulty(
        optimal_actions=int(found.optimum),
        optimal_cost=int(found.moves),
        turns=int((found.plan <= 1).sum()),  # the two turns come first among the actions
        states=int(found.states),
        dead_states=int(found.dead_states),
        plans=int(found.plans),
        branching=int(found.branching) / 1000,
        chain_depth=len(said.steps),
        distractors=said.decoys,
        floor=maze.walls.count(0),
        random_success=by_chance / EPISODES,
        greedy_success=greedily / EPISODES,
    )
