"""What a maze is and by which rules it is played; users import these names from ``mazegen``."""
