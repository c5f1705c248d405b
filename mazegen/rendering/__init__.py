"""Mazes as text and as pictures; users call ``mazegen.picture`` and ``mazegen.draw``."""
