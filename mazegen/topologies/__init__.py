"""The backbones of mazes, one file each: compiled functions that carve a floor.

Every ``carve`` has the same first arguments and result: an empty floor of ``cells`` bytes, the size of
the board, the stream; it returns the cells of start and goal, and ``(-1, -1)`` when it could not do
what its parameters ask for. Importing this package imports numba.
"""

from mazegen.compiling import MODULES, compiled, forget_stale_code


@compiled
def _here() -> None:
    """Of it one can ask where numba keeps what is compiled in this folder."""


forget_stale_code(MODULES, _here)
