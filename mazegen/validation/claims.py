"""What a file claims about its maze, held against what was proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen.core import declared
from mazegen.core.rules import Action, Event, State, compile_board, step
from mazegen.errors import SearchLimitExceeded
from mazegen.generation.spec import NO_CHAIN, MazeGenSpec
from mazegen.search.solver import trace
from mazegen.validation.report import Check

MAX_WALKS = 100_000  # states that a walk may have on one cell, by what it has done on the way

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mazegen.core.maze import Maze
    from mazegen.core.parts import Position
    from mazegen.core.rules import Board
    from mazegen.validation.report import ValidationReport


def check_claims(maze: Maze, report: ValidationReport) -> Iterator[Check]:
    """One ``claim:...`` check for everything that the file says; what it does not say is not checked."""
    yield from _check_metadata(maze)
    said, proof = maze.validation, report.proof
    if said is None:
        return
    yield _same("is_valid", said.is_valid, proof.is_valid)
    if said.reasons:
        reason = f"the file says that it is valid, and also: {'; '.join(said.reasons)}" * said.is_valid
        yield Check("claim:reasons", not reason, reason, f"{len(said.reasons)} reasons why it is not valid")
    if said.optimal_cost is not None:
        yield _same("optimal_cost", said.optimal_cost, proof.optimal_cost)
    board = compile_board(maze)
    plan: Sequence[int] | None = None
    if said.optimal_actions:
        reason = _fault_of_plan(maze, said.optimal_actions, len(proof.optimal_actions))
        yield Check(
            "claim:optimal_actions", not reason, reason, f"{len(said.optimal_actions)} actions replayed"
        )
        plan = None if reason else [Action[name] for name in said.optimal_actions]
    if said.optimal_path:
        plan, reason = _walked(maze, board, said.optimal_path, proof.optimal_cost)
        yield Check("claim:optimal_path", not reason, reason, f"{len(said.optimal_path)} cells walked")
    if said.interactions:
        # Those of the walk that the file shows; where it shows none, of its plan or else of the proof.
        done = proof.interactions if plan is None else trace(maze, board, plan)[1]
        same = said.interactions == proof.interactions or sorted(said.interactions) == sorted(done)
        reason = "" if same else f"the file says {list(said.interactions)}, the walk gives {list(done)}"
        yield Check("claim:interactions", same, reason, f"{len(done)} interactions")
    if said.necessity:
        proved = dict(proof.necessity)
        wrong = [name for name, needed in said.necessity if proved.get(name) != needed]
        wrong += [name for name in proved if name not in dict(said.necessity)]
        reason = f"not as proved: {', '.join(wrong)}" if wrong else ""
        yield Check("claim:necessity", not wrong, reason, f"{len(proved)} mechanisms")


def _walked(
    maze: Maze, board: Board, path: Sequence[Position], fewest: int | None
) -> tuple[Sequence[int] | None, str]:
    """A plan along the path of a file, if there is one, and what is wrong with the path."""
    try:
        plan = plan_along(maze, board, path)
    except SearchLimitExceeded as error:
        return None, str(error)
    if plan is None:
        return None, "no sequence of actions walks over these cells and succeeds on the last"
    moves = len(path) - 1
    return plan, "" if moves == fewest else f"takes {moves} moves, {fewest} are enough"


def spec_of(maze: Maze) -> MazeGenSpec | None:
    """What a maze says it was made from; None if it does not, as one made by hand."""
    try:
        return MazeGenSpec.from_dict(maze.metadata["spec"])
    except (KeyError, ValueError):
        return None


def _check_metadata(maze: Maze) -> Iterator[Check]:
    """What is said of the chain and of the spec agrees with the steps of the chain, and with the seed.

    That the spec and the seed make this very maze is asked of data sets alone (``validate_dataset``): a maze
    that somebody has edited still says where it comes from.
    """
    if "dependency_chain" in maze.metadata:
        reason = "; ".join(declared.faults_of_chain(maze))
        yield Check("claim:dependency_chain", not reason, reason, "" if reason else "is as its steps say")
    spec = spec_of(maze)
    if spec is None:
        return
    faults = []
    steps = declared.letters_of_chain(maze)
    if steps != spec.steps:
        faults.append(f"it says chain {spec.chain!r}, the steps of the maze are {steps or NO_CHAIN!r}")
    if maze.seed is not None and "seed" in maze.metadata["spec"] and spec.seed != maze.seed:
        faults.append(f"it says seed {spec.seed}, the maze {maze.seed}")
    reason = "; ".join(faults)
    yield Check("claim:spec", not reason, reason, spec.name)


def _same(name: str, said: object, proved: object) -> Check:
    reason = "" if said == proved else f"the file says {said}, the proof {proved}"
    return Check(f"claim:{name}", said == proved, reason, str(proved))


def _fault_of_plan(maze: Maze, plan: Sequence[str], optimum: int) -> str:
    """What is wrong with a plan in env actions; empty if it succeeds with its last action in ``optimum``."""
    board = compile_board(maze)
    state = board.start
    for index, name in enumerate(plan):
        outcome = step(board, state, Action[name])
        state = outcome.state
        if outcome.event == Event.DONE and index + 1 < len(plan):
            return f"succeeds with action {index + 1} of {len(plan)} already"
        if outcome.event != Event.DONE and index + 1 == len(plan):
            return "does not succeed"
    return "" if len(plan) == optimum else f"takes {len(plan)} actions, {optimum} are enough"


def plan_along(maze: Maze, board: Board, path: Sequence[Position]) -> tuple[int, ...] | None:
    """The fewest actions that walk over exactly these cells and succeed on the last, or None.

    Raises:
        SearchLimitExceeded: what can be done on the way leaves more than ``MAX_WALKS`` states on one cell.
    """
    if path[0] != maze.start:
        return None
    reached: dict[State, tuple[int, ...]] = {board.start: ()}
    for position in path[1:]:
        target = maze.cell(position)
        following: dict[State, tuple[int, ...]] = {}
        queue = list(reached)
        for state in queue:  # grows: turns, pickups and toggles stay on the cell
            for action in Action:
                outcome = step(board, state, action)
                plan = (*reached[state], int(action))
                if outcome.event == Event.DONE and position == path[-1]:
                    return plan if outcome.state.cell == target else None
                if outcome.state.cell == target != state.cell:
                    if outcome.state not in following or len(plan) < len(following[outcome.state]):
                        following[outcome.state] = plan
                elif outcome.state.cell == state.cell and outcome.state not in reached:
                    if len(reached) >= MAX_WALKS:
                        msg = f"more than {MAX_WALKS:,} states on {position}, so it is not known"
                        raise SearchLimitExceeded(msg)
                    reached[outcome.state] = plan
                    queue.append(outcome.state)
        reached = dict(sorted(following.items(), key=lambda item: len(item[1])))
    return None
