"""Mazes: what they are, how they are played, solved, proved and stored. numpy and numba only."""
