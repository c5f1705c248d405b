"""The arrays of a vector env: what each holds, in which columns or rows, with its shape and type.

Compiled functions take few arrays of many columns: each array that Python hands over costs time. ``cells``
are those of a board, and all mazes are laid out on boards of one size.

``settings`` (CELLS + 2 * cells,) int64
    Step to the cell north, east, south and west; whether arrival ends an episode; the reward of a success, as
    the bits of a float64; whether agents see their surroundings only; row and column of each cell.
``table`` (rows, 16) uint8
    What actions lead to, see ``outcome_table``.
``boards`` (slots, 8 * cells + 6) uint8
    A maze a row: for each pose (cell * 4 + facing) its row of ``table``; what each cell holds, as
    ``rules.compile_board`` says; the grid of three numbers a cell that is observed first; keys held first.
``mechanisms`` (slots, THINGS + 8 * things) int64
    A maze a row: ``rules.Board.link`` with ``trait`` in the upper half; masks of keys, and of doors that use
    them up, for each colour; the first row of ``states``; whether the level of the slot's number is in the
    slot; then eight columns for each mechanism: its code, its cell, and its look in either of its states.
``states`` (envs, 8) int32
    An env a row, half a cache line: its pose, the masks of ``rules.State``, steps left, actions of a shortest
    plan (-1 where there is none), row of ``table``, and which slot it plays.
``lists`` (DRAWS + draws, envs) int64
    Rows of numbers of envs, filled from the left: see the names of the rows. Then rows with a number for each
    env: whether what it shows was changed in one of two sets of arrays, the slot of its next episode, how
    many of its draws are used up, and the draws themselves: numbers of levels that were drawn in advance.
``shown`` (envs * (3 * cells + 6),) uint8
    The grids of all envs, env by env, then the keys that each holds.
``numbers`` (5 * envs,) int64
    In parts of a number for each env: row and column of all agents, pair by pair; facings; steps left;
    rewards, as the bits of float64.
``flags`` (9 * envs,) int8
    In parts as well: events; whether the episode is terminated; whether it is truncated; the action masks,
    env by env.
"""

from __future__ import annotations

from mazegen.core.parts import KEY_COLORS
from mazegen.core.rules import ACTIONS, CODES

COLORS = len(KEY_COLORS)

# of settings
STRIDES, ARRIVAL, SUCCESS, NARROW_VIEW, CELLS = 0, 4, 5, 6, 7

# of boards, in units of the number of cells
OUTCOME_ROWS, BOARD_CODES, FIRST_GRID, FIRST_HELD = 0, 4, 5, 8
NUMBERS = 3  # of a cell of a grid

# of mechanisms
LINKS, KEY_MASKS, LOCK_MASKS = 0, CODES, CODES + COLORS
START = LOCK_MASKS + COLORS
TRAIT_SHIFT = 32  # a link and a trait share 64 bits; masks stay below 2**20
LINK_MASK = (1 << TRAIT_SHIFT) - 1

# of states
POSE, TAKEN, OPENED, ON, STEPS_LEFT, PLAN_LENGTH, OUTCOME_ROW, SLOT = range(8)
STATE_COLUMNS = 8
NO_SLOT = -1
MAX_STEPS = 2**31 - 2  # what a column of 32 bits holds

# of mechanisms, again
IS_READY = START + STATE_COLUMNS
THINGS = IS_READY + 1
CODE, PLACE, UNSET, SET = 0, 1, 2, 5  # columns of one; UNSET and SET are the first of three numbers each
THING_COLUMNS = 8

# of lists: envs whose episode is over; whose mechanisms change; whose view may be another than before; in
# whose state the table does not know what actions lead to; whose next level has to be made; all envs. The
# first number of PENDING_RESETS says how many of DONE begin an episode in the next step.
DONE, CHANGED, VIEW_CHANGED, UNDECIDED, NEEDS_LEVEL, EVERYONE, PENDING_RESETS = range(7)
IS_OUTDATED, NEXT_SLOT, DRAWN, DRAWS = 7, 8, 9, 10

# of numbers and flags, in units of the number of envs
POSITIONS, FACINGS_PART, STEPS_LEFT_PART, REWARDS, NUMBER_PARTS = 0, 2, 3, 4, 5
EVENTS, TERMINATED, TRUNCATED, MASKS = 0, 1, 2, 3
FLAG_PARTS = MASKS + ACTIONS
