"""A closed choice is matched member by member: a new one is a type error, never some verdict by default."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from maze_gym.ending import UNSCORED, EndReason
from maze_gym.evaluation.analysis.diagnosis import FailureClass, classify
from maze_gym.evaluation.episode import EpisodeRecord

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for folder in ("src", "mazegen") for path in (ROOT / folder).rglob("*.py"))
CHOICES = {
    "EndReason",
    "FailureKind",
    "StopReason",
    "ReplyFormat",
    "Querying",
    "FailureClass",
    "Disguise",
    "Prompting",
}
BY_END = {
    EndReason.SUCCESS: FailureClass.NONE,
    EndReason.FAILED: FailureClass.LOST,
    EndReason.TIMEOUT: FailureClass.OUT_OF_STEPS,
    EndReason.STALLED: FailureClass.STALLED,
    EndReason.PARSE_FAILED: FailureClass.UNPARSABLE,
    EndReason.PLAN_EXHAUSTED: FailureClass.PLAN_RAN_OUT,
    EndReason.PROVIDER_ERROR: FailureClass.UNSCORED,
    EndReason.ABORTED: FailureClass.UNSCORED,
}


def record(reason: EndReason) -> EpisodeRecord:
    return EpisodeRecord(
        env_id="MazeNLU-v0",
        level_id="a level",
        content_hash="0",
        policy="somebody",
        seed=0,
        steps=3,
        total_reward=float(reason == EndReason.SUCCESS),
        success=None if reason in UNSCORED else reason == EndReason.SUCCESS,
        end_reason=reason,
        optimal_actions=2,
        actions=(0, 1, 2),
        events=("TURNED", "TURNED", "MOVED"),
    )


@pytest.mark.parametrize("reason", EndReason)
def test_every_end_has_a_word_of_its_own(reason: EndReason) -> None:
    assert classify(record(reason)) == BY_END[reason]


def test_the_page_about_reports_knows_every_word() -> None:
    page = (ROOT / "docs" / "read-a-report.md").read_text(encoding="utf-8")
    assert [str(each) for each in FailureClass if f"`{each}`" not in page] == []


def _is_of_a_choice(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in CHOICES


def _patterns(case: ast.match_case) -> list[ast.pattern]:
    pattern = case.pattern
    return list(pattern.patterns) if isinstance(pattern, ast.MatchOr) else [pattern]


def _catch_alls(tree: ast.AST) -> list[int]:
    """Lines where members of a closed choice are looked up with something to fall back on."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Match):
            members = [each for case in node.cases for each in _patterns(case)]
            if any(isinstance(each, ast.MatchValue) and _is_of_a_choice(each.value) for each in members):
                last = node.cases[-1]
                if isinstance(last.pattern, ast.MatchAs) and "assert_never" not in ast.unparse(last):
                    found.append(last.pattern.lineno)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            table = node.func.value
            if isinstance(table, ast.Dict) and any(map(_is_of_a_choice, table.keys)):
                found.append(node.lineno)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_choice_has_a_verdict_by_default(path: Path) -> None:
    assert _catch_alls(ast.parse(path.read_text(encoding="utf-8"))) == []


def test_the_search_for_them_finds_them() -> None:
    lookup = "word = {EndReason.SUCCESS: 'won'}.get(reason, 'out of steps')"
    match = (
        "match reason:\n    case EndReason.SUCCESS:\n        word = 'won'\n    case _:\n        word = 'lost'"
    )
    assert _catch_alls(ast.parse(lookup)) == [1]
    assert _catch_alls(ast.parse(match)) == [4]
    assert _catch_alls(ast.parse(match.replace("word = 'lost'", "assert_never(reason)"))) == []
