"""Exact search over the full state, compiled; and walkers that plan nothing.

Private: what users need stands in ``mazegen`` itself.
"""
