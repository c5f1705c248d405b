"""A run on disk: lines that survive ``kill -9``, one process at a time, read back whole."""
