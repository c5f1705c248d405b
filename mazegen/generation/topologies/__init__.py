"""The backbones of mazes, one file each: compiled functions that carve a floor.

Every ``carve`` has the same first arguments and result: an empty floor of ``cells`` bytes, the size of
the board, the stream; it returns the cells of start and goal, and ``(-1, -1)`` when it could not do
what its parameters ask for.

Small boards hold few different mazes. Of 2,000 seeds with default parameters and no chain, at least 99 %
are distinct at 16 x 16, where turned, mirrored and recoloured ones count as the same. At 12 x 12 it is 91 %
for side_vault (97 % with one key), 96 % for multi_route, 98 % for winding_corridor and sequential_chain, and
all for dense_maze. A data set drops what it has already.
"""
