"""What a person sees while playing: the board, beside it the score, the last event and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.play.bindings import action_bindings, command_bindings
from maze_gym.play.page import (
    ACCENT,
    BAD,
    GOOD,
    HUGE,
    INK,
    LARGE,
    NORMAL,
    SMALL,
    SOFT,
    Page,
    line_height,
)
from mazegen.rendering.canvas import as_surface

if TYPE_CHECKING:
    from maze_gym.play.session import PlaySession

BOARD_PX = 720
PANEL_PX = 330
MARGIN_PX = 18
_LOST = "Not this time"
_COLUMN = BOARD_PX + MARGIN_PX
_WIDTH = PANEL_PX - 2 * MARGIN_PX


def draw_screen(session: PlaySession, *, recording_to: str | None = None) -> Page:
    """The whole window as a page of 720 x 1050 pixels."""
    page = Page(BOARD_PX, BOARD_PX + PANEL_PX)
    page.picture(as_surface(session.frame()), 0, 0, BOARD_PX, BOARD_PX)
    row = _heading(page, session, recording_to)
    row = _score(page, session, row)
    row = _event(page, session, row)
    row = _legend(page, session, row)
    if session.explains:
        _ending_beside(page, session, row)
    elif session.is_over:
        _ending(page, session)
    return page


def _heading(page: Page, session: PlaySession, recording_to: str | None) -> int:
    row = MARGIN_PX
    for line in _shortened(page, session.title):
        row = page.text(row, _COLUMN, line, size=LARGE)
    count = len(session.levels)
    place = f"level {session.index % count + 1} of {count}" if count else f"level {session.index + 1}"
    row = page.text(row, _COLUMN, place, size=SMALL, color=SOFT)
    if count:  # of levels that are made, the description says which things are distractors
        description = getattr(getattr(session.env.unwrapped, "maze", None), "description", "")
        row = page.paragraph(row + 2, _COLUMN, str(description)[:140], _WIDTH, size=SMALL, color=SOFT)
    if recording_to:
        row = page.paragraph(row + 2, _COLUMN, f"recording to {recording_to}", _WIDTH, size=SMALL, color=BAD)
    return row + 8


def _shortened(page: Page, title: str) -> list[str]:
    """A level's name in at most two lines: its end says more than its beginning."""
    while len(title) > 1 and page.text_width(title, LARGE) > _WIDTH:
        head, slash, tail = title.partition("/")
        title = tail if slash and head else "…" + title.lstrip("…")[4:]
    return [title]


def _score(page: Page, session: PlaySession, row: int) -> int:
    height, width = 58, (_WIDTH - 2 * 8) // 3
    numbers = (("steps", session.steps), ("optimum", session.optimum), ("left", session.steps_left))
    for place, (name, number) in enumerate(numbers):
        left = _COLUMN + place * (width + 8)
        page.box(row, left, height, width)
        shown = "?" if number is None else str(number)
        page.text(row + 6, left + (width - page.text_width(shown, LARGE)) // 2, shown, size=LARGE)
        page.text(row + 37, left + (width - page.text_width(name, SMALL)) // 2, name, size=SMALL, color=SOFT)
    return row + height + 10


def _event(page: Page, session: PlaySession, row: int) -> int:
    page.box(row, _COLUMN, 84, _WIDTH)
    below = page.paragraph(row + 8, _COLUMN + 10, session.message[:160], _WIDTH - 20, size=NORMAL)
    if session.hint:
        page.paragraph(max(below, row + 8), _COLUMN + 10, f"Hint: {session.hint}", _WIDTH - 20, color=ACCENT)
    return row + 84 + 10


def _legend(page: Page, session: PlaySession, row: int) -> int:
    for bindings in (action_bindings(session.action_names), command_bindings()):
        for binding in bindings:
            row = page.key(row, _COLUMN, binding.shown, binding.meaning)
        row += 8
    return row


def _ending_beside(page: Page, session: PlaySession, row: int) -> None:
    """That it went wrong, without a veil over the board, which shows why."""
    page.box(row, _COLUMN, BOARD_PX - row - MARGIN_PX, _WIDTH)
    row = page.text(row + 8, _COLUMN + 10, _LOST, size=LARGE, color=BAD)
    row = page.paragraph(row, _COLUMN + 10, verdict(session), _WIDTH - 20, size=SMALL)
    page.paragraph(row, _COLUMN + 10, "The board shows what is wrong in red.", _WIDTH - 20, size=SMALL)


def _ending(page: Page, session: PlaySession) -> None:
    """Your steps against the optimum, over the board."""
    page.dim(BOARD_PX, BOARD_PX)
    height, width = 212 if session.is_won else 160, 470
    row, col = (BOARD_PX - height) // 2, (BOARD_PX - width) // 2
    page.box(row, col, height, width)

    def centered(row: int, words: str, size: int, color: str) -> int:
        return page.text(row, (BOARD_PX - page.text_width(words, size)) // 2, words, size=size, color=color)

    title, color = ("Solved!", GOOD) if session.is_won else (_LOST, BAD)
    row = centered(row + 20, title, HUGE, color)
    row = centered(row, verdict(session), NORMAL, INK) + 12
    if session.is_won and session.optimum:
        longest = max(session.steps, session.optimum)
        for name, number, fill in (("you", session.steps, ACCENT), ("optimum", session.optimum, GOOD)):
            page.text(row, col + 30, name, size=NORMAL, color=SOFT)
            length = max(4, round(250 * number / longest))
            page.box(row + 2, col + 120, line_height(NORMAL) - 4, length, fill=fill, edge=fill)
            page.text(row, col + 130 + length, str(number), size=NORMAL)
            row += line_height(NORMAL) + 6
    centered(row + 14, "N next level     R again     Q quit", SMALL, SOFT)


def verdict(session: PlaySession) -> str:
    """One sentence about an episode that is over."""
    steps = f"{session.steps} step{'s' if session.steps != 1 else ''}"
    if not session.is_won:
        return f"The episode ended after {steps} without success."
    if session.optimum is None:
        return f"You made it in {steps}."
    if session.steps <= session.optimum:
        return f"You made it in {steps}: that is the optimum."
    extra = session.steps - session.optimum
    return f"You made it in {steps}, {extra} more than the optimum of {session.optimum}."


__all__ = ["BOARD_PX", "draw_screen", "verdict"]
