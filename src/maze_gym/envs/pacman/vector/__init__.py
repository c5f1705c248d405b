"""Many games at once: boards as arrays, and the compiled loop around the rules."""
