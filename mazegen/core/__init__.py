"""What a maze is, how it is played, and what everything else in mazegen stands on.

Private: what users need stands in ``mazegen`` itself.
"""
