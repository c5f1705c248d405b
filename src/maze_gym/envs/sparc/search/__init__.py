"""Exact search for lines that obey every rule, compiled."""
