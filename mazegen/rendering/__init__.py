"""A maze as a picture: scenes, painters, frames, files, and text.

Private: what users need stands in ``mazegen`` itself.
"""
