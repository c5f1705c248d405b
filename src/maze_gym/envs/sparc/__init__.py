"""SpatialGym: line puzzles after SPaRC."""
