"""Line puzzles made from a seed."""
