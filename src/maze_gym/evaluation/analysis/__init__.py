"""What episodes say: beside the oracle, in numbers with intervals, and who is better."""
