"""From a spec and a seed to a proved maze.

Private: what users need stands in ``mazegen`` itself.
"""
