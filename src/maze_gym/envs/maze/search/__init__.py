"""Walkers that plan nothing; exact search itself is in ``mazegen.search``."""
