"""Exact search over all states of a maze, and simple players beside it; users call ``mazegen.solve``."""
