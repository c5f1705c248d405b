"""Tests of the maze core."""
