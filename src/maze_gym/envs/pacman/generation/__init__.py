"""Boards made from a seed, each proved to be winnable."""
