"""PacmanArray: the ghost chase on a small grid."""
