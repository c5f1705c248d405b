"""Proves what a maze and its file claim; users call ``mazegen.validate``."""
