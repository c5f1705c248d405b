"""Mazes: what they are, how they are played, solved, proved and stored. numpy and numba only."""

from mazegen.core import interrupts

interrupts.answer_from_the_start()
