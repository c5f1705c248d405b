"""From a description of a maze to a maze that keeps it; users call ``mazegen.generate``."""
