"""Where the users already are: one file for each framework, each an optional extra."""
