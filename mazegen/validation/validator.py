"""Named checks that prove a maze, and that prove again what a file claims about itself.

Every check runs, whatever the others say, and each is a statement about ``rules.apply``: the searches
are those of ``proving``, on the board as it is or with one thing changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazegen import codec
from mazegen.core.parts import Validation
from mazegen.core.rules import DOOR, FREE, GATE, KEY, SWITCH, WALL, Action
from mazegen.core.well_formed import find_problems
from mazegen.errors import MazeFormatError
from mazegen.search.solver import trace
from mazegen.search.subject import LIMIT, MAX_STATES, UNKNOWN, Need, Subject, as_subject, describe_optimum
from mazegen.validation.claims import check_claims
from mazegen.validation.report import Check, ValidationReport, unreadable

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from mazegen.core.maze import Maze
    from mazegen.search.proving import Ablation, Survey


def validate(maze: Maze, *, max_states: int = MAX_STATES) -> ValidationReport:
    r"""Run every check on a maze, whatever its file claims about the outcome.

    What the maze promises is read from its metadata: the chain, and which things are distractors. A
    door, a gate, and whatever they listen to, is taken to be promised unless it is declared otherwise.

    >>> from mazegen import parse, validate
    >>> print(validate(parse("#####\n#>.*#\n#####")).passed)
    True
    >>> [check.name for check in validate(parse("######\n#>.#*#\n######")).failed]
    ['solvable', 'dead_states']
    """
    from mazegen.search import proving

    subject = as_subject(maze, max_states)
    found = proving.survey(subject.layout, subject.start, max_states)
    solved = found.optimum > 0
    needed = {each.id: subject.need(each.id, found.optimum) for each in maze.mechanisms} if solved else {}
    checks = [*_form(maze), _solvable(found, max_states)]
    checks += [_necessary(subject, name, needed) for name in _promised(subject)]
    checks += [
        *_bypass_and_order(subject, needed),
        _harmless(subject, found, needed),
        _dead_states(subject, found),
    ]
    checks.append(_unique(found))
    path, interactions = trace(maze, subject.board, [int(action) for action in found.walk])
    proof = Validation(
        is_valid=all(check.passed for check in checks),
        reasons=tuple(f"{check.name}: {check.reason}" for check in checks if not check.passed),
        optimal_cost=int(found.moves) if solved else None,
        optimal_path=path if solved else (),
        interactions=interactions,
        optimal_actions=tuple(Action(int(action)).name for action in found.plan),
        necessity=tuple((name, bool(each.is_needed)) for name, each in needed.items()),
    )
    return ValidationReport(
        maze.level_id, tuple(checks), proof, int(found.states), int(found.dead_states), int(found.plans)
    )


def recheck(maze: Maze, *, max_states: int = MAX_STATES) -> ValidationReport:
    """``validate``, and compare what the maze's file claims with what was proved: ``claim:...`` checks."""
    report = validate(maze, max_states=max_states)
    checks = (*report.checks, *check_claims(maze, report))
    return ValidationReport(
        report.level_id, checks, report.proof, report.states, report.dead_states, report.plans
    )


def validate_file(path: str | os.PathLike[str], *, max_states: int = MAX_STATES) -> ValidationReport:
    """Load a file and ``recheck`` it; what breaks the format is a failed check, not an error.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        maze = codec.load(path)
    except MazeFormatError as error:
        return unreadable(str(path), error)
    return recheck(maze, max_states=max_states)


def _form(maze: Maze) -> list[Check]:
    problems = [str(problem) for problem in find_problems(maze)]
    ring = [problem for problem in problems if "ring" in problem]
    return [
        Check(
            "well_formed", not problems, "; ".join(problems), f"{len(maze.mechanisms)} mechanisms in order"
        ),
        Check("ring_intact", not ring, "; ".join(ring), "solid all around"),
    ]


def _solvable(found: Survey, limit: int) -> Check:
    if found.optimum == LIMIT:
        return Check("solvable", passed=False, reason=f"more than {limit:,} states; not proved")
    reason = (
        f"the goal cannot be reached: all {found.states:,} states that any actions lead to were looked at"
    )
    evidence = f"in {found.optimum} actions and {found.moves} moves; {found.states:,} states"
    return Check("solvable", found.optimum > 0, "" if found.optimum > 0 else reason, evidence)


def _promised(subject: Subject) -> list[str]:
    """Ids of what has to be needed: the chain, and what is neither a distractor nor heard by nothing."""
    return [
        each.id
        for each in subject.maze.mechanisms
        if each.id in subject.said.chained
        or (each.id not in subject.said.distractors and subject.code[each.id] != FREE)
    ]


def _necessary(subject: Subject, name: str, needed: Mapping[str, Need]) -> Check:
    is_needed, _, evidence = needed.get(name, Need(False, UNKNOWN, "the maze is not solved"))  # noqa: FBT003
    kind = next(type(each).__name__.lower() for each in subject.maze.mechanisms if each.id == name)
    reason = "" if is_needed else f"the {kind} is not needed: {evidence}"
    return Check(f"necessary:{name}", is_needed, reason, evidence)


def _bypass_and_order(subject: Subject, needed: Mapping[str, Need]) -> list[Check]:
    """Without each promised thing in turn there is no way to the goal, and none to anything of a later step.

    That is more than that it is needed: a detour that costs actions is a way around it all the same.
    """
    openers = [name for name in _promised(subject) if FREE < subject.code[name] < DOOR]
    bypassed = [
        f"{name} ({needed[name].evidence})"
        for name in openers
        if name in needed and needed[name].without != UNKNOWN
    ]
    early = []
    steps = subject.said.steps
    later_of = {blocker: steps[index + 1 :] for index, (_, blocker) in enumerate(steps)}
    blockers = [name for name in _promised(subject) if subject.code[name] >= DOOR]
    for name in blockers:
        found = subject.without((name, WALL))
        if found.optimum != UNKNOWN:
            bypassed.append(
                f"{name} ({describe_optimum(found.optimum).replace('without it', 'with it walled up')})"
            )
        for opener, blocker in later_of.get(name, ()):
            early += [
                f"{each} before {name}" for each in (opener, blocker) if _was_used(subject, each, found)
            ]
    walled = f"walled up in turn: {', '.join(blockers) or 'nothing to wall up'}"
    walled += f"; taken away in turn: {', '.join(openers)}" if openers else ""
    chain = " -> ".join(f"{opener} -> {blocker}" for opener, blocker in steps)
    return [
        Check("no_bypass", not bypassed, "walked around: " * bool(bypassed) + ", ".join(bypassed), walled),
        Check(
            "order", not early, f"can be used too early: {', '.join(early)}" * bool(early),
            chain or "no chain is declared",
        ),
    ]  # fmt: skip


def _was_used(subject: Subject, name: str, found: Ablation) -> bool:
    """Whether a thing was picked up, switched on, opened or crossed anywhere in a search."""
    code = subject.code[name]
    for base, mask in ((GATE, found.crossed), (DOOR, found.opened), (SWITCH, found.on), (KEY, found.taken)):
        if code >= base:
            return bool(mask >> (code - base) & 1)
    return False


def _harmless(subject: Subject, found: Survey, needed: Mapping[str, Need]) -> Check:
    """Take all distractors and all dead ends away: the optimum must stay what it is."""
    from mazegen.search import proving

    said = subject.said
    if not (said.distractors or said.has_rooms):
        return Check("distractors_harmless", passed=True, evidence="no distractors are declared")
    # The way may lead through the gate of a trap: that stands open, and nothing has to be done about it.
    used = [
        name
        for name in said.distractors
        if name in needed and needed[name].is_needed and not subject.stands_open(name)
    ]
    codes = subject.layout.codes.copy()
    for name in said.distractors:
        code = subject.code[name]
        if code != FREE:
            codes[subject.layout.codes == code] = WALL if DOOR <= code < GATE else FREE
    proving.fill_dead_ends(codes, subject.maze.cols, subject.start.cell)
    without = proving.ablate(subject.layout._replace(codes=codes), subject.start, subject.limit).optimum
    reasons = [f"needed: {', '.join(used)}"] if used else []
    blockers = [name for name in said.distractors if subject.code[name] >= DOOR]
    shut = [name for name in blockers if 0 < subject.without((name, FREE)).optimum < found.optimum]
    if shut:
        reasons.append(f"in the way, for without it the goal is nearer: {', '.join(shut)}")
    if without != found.optimum:
        reasons.append(
            f"the optimum is {found.optimum} with them; {describe_optimum(without).replace('it ', 'them ')}"
        )
    return Check(
        "distractors_harmless",
        not reasons,
        "; ".join(reasons),
        f"{found.optimum} actions with and without them",
    )


def _dead_states(subject: Subject, found: Survey) -> Check:
    dead, states = int(found.dead_states), int(found.states)
    if subject.said.traps:
        return Check(
            "dead_states",
            dead > 0,
            "traps were asked for and none works",
            f"{dead:,} of {states:,}, as asked",
        )
    reason = f"{dead:,} of {states:,} reachable states have no way to the goal"
    return Check("dead_states", dead == 0, reason if dead else "", f"none of {states:,}")


def _unique(found: Survey) -> Check:
    """Whether there is one shortest plan only: a fact about the maze and not a fault."""
    counted = "one shortest plan" if found.plans == 1 else f"{found.plans:,} shortest plans"
    return Check("optimum_unique", passed=True, evidence=counted)
