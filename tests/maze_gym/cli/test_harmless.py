"""No text of others steers a terminal, and the stream that sees to it ends without a word."""

from __future__ import annotations

import io

from maze_gym.cli.harmless import HarmlessStream


def test_what_would_steer_a_terminal_is_spelt_out() -> None:
    below = io.StringIO()
    HarmlessStream(below).write("one\x1b[2J\ttwo\n")
    assert "\x1b" not in below.getvalue()
    assert below.getvalue().endswith("\ttwo\n")


def test_closing_it_leaves_the_stream_below_open() -> None:
    below = io.StringIO()
    stream = HarmlessStream(below)
    stream.close()
    assert stream.closed
    assert not below.closed


def test_it_ends_in_silence_when_the_stream_below_is_closed_already() -> None:
    """Garbage collection closes it, and from Python 3.13 on prints what that raises."""
    below = io.TextIOWrapper(io.BytesIO())
    stream = HarmlessStream(below)
    below.close()
    stream.close()
