"""Folders of many mazes: written, gone on with, and proved again.

Private: what users need stands in ``mazegen`` itself.
"""
