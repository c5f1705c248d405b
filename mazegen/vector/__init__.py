"""Many mazes in one compiled step: the states of envs as arrays, and the table of what actions lead to.

Private: what users need stands in ``mazegen`` itself.
"""
