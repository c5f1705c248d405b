"""A maze proved again, and what its file claims held against the proof.

Private: what users need stands in ``mazegen`` itself.
"""
