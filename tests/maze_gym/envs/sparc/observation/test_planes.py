"""What an agent observes of a line puzzle: everything that matters, and nothing that is out of bounds."""

from __future__ import annotations

import copy
import pickle

import numpy as np
from hypothesis import given

from maze_gym.envs.sparc.env import SpatialGymEnv
from maze_gym.envs.sparc.observation import Frame, Plane, Thing, frame_of, legend, pieces_of
from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol, normalized

from ..puzzles import puzzles
from ..small import ACTIONS, EXAMPLE, TWO_CELLS

_THINGS = {
    "+": Thing.LANE, "S": Thing.LANE, "E": Thing.LANE, ".": Thing.DOT, "G": Thing.GAP, "N": Thing.EMPTY_CELL,
    "o": Thing.SQUARE, "*": Thing.STAR, "A": Thing.TRIANGLE, "B": Thing.TRIANGLE, "C": Thing.TRIANGLE,
    "D": Thing.TRIANGLE, "P": Thing.POLYOMINO, "Y": Thing.YLOP,
}  # fmt: skip


@given(puzzle=puzzles(), actions=ACTIONS)
def test_planes_say_what_the_board_and_the_line_are(puzzle: Puzzle, actions: list[int]) -> None:
    """Read off the tokens, not off the code that wrote the planes."""
    if not any(puzzle.lanes[puzzle.start]):
        return
    env = SpatialGymEnv(puzzle=puzzle, backtracking=True, max_shape=(9, 8))
    observation, info = env.reset()
    for action in [*actions, None]:
        planes, shapes = observation["planes"], observation["shapes"]
        assert env.observation_space.contains(observation)
        for row in range(9):
            for col in range(8):
                at = {plane: int(planes[plane, row, col]) for plane in Plane}
                if row >= puzzle.rows or col >= puzzle.cols:
                    assert at == dict.fromkeys(Plane, 0) | {Plane.KIND: Thing.BEYOND}
                    continue
                token = puzzle.token(row, col)
                assert at[Plane.KIND] == _THINGS[token[0]]
                assert at[Plane.START] == (token == "S")  # noqa: S105 - a token of the board
                assert at[Plane.END] == (token == "E")  # noqa: S105 - a token of the board
                assert at[Plane.VISITED] == ((row, col) in info["path"])
                assert at[Plane.HEAD] == ((row, col) == info["path"][-1])
                color = list(Color).index(Color(token[2])) + 1 if "-" in token else 0
                assert at[Plane.COLOR] == color
                if token[0] in "ABCD":
                    assert at[Plane.NUMBER] == "ABCD".index(token[0]) + 1
                elif token[0] in "PY":
                    cells = tuple(map(tuple, np.argwhere(shapes[at[Plane.NUMBER] - 1]).tolist()))
                    assert cells == normalized(puzzle.cells_of[int(token.split("-")[2])])
                else:
                    assert at[Plane.NUMBER] == 0
        assert observation["steps_left"].tolist() == [info["steps_left"]]
        if action is None or "is_success" in info:
            break
        observation, _, _, _, info = env.step(action)


def test_a_frame_grows_with_what_it_has_to_hold() -> None:
    assert frame_of(EXAMPLE) == Frame(5, 5, 1, 2)
    assert Frame().holding(frame_of(EXAMPLE)) == Frame(13, 13, 9, 4)
    wide = Puzzle(
        "wide", 1, 7, (0, 0), (2, 14), symbols=(((1, 1), Symbol(Kind.POLYOMINO, Color.RED, shape=9)),),
        shapes=((9, tuple((0, col) for col in range(7))),),
    )  # fmt: skip
    env = SpatialGymEnv(puzzles=[wide, TWO_CELLS])
    assert env.frame == Frame(13, 15, 9, 7)
    assert env.reset(options={"puzzle": "wide"})[0]["shapes"][0].tolist()[0] == [1] * 7


def test_shapes_that_no_symbol_has_are_left_out() -> None:
    spare = Puzzle("spare", 2, 2, (0, 0), (4, 4), shapes=((5, ((0, 0),)),))
    assert pieces_of(spare) == ()
    env = SpatialGymEnv(puzzle=spare)
    assert not env.reset()[0]["shapes"].any()


def test_legend_names_every_number() -> None:
    named = legend()
    assert list(named["plane"]) == list(range(len(Plane)))
    assert named["kind"][Thing.YLOP] == "ylop"
    assert named["color"] == {0: "none", 1: "red", 2: "blue", 3: "green", 4: "yellow", 5: "white",
                              6: "orange", 7: "purple", 8: "black"}  # fmt: skip
    assert named["action"] == {0: "RIGHT", 1: "UP", 2: "LEFT", 3: "DOWN"}


def test_copies_go_their_own_way() -> None:
    env = SpatialGymEnv(puzzle=EXAMPLE)
    env.reset()
    env.step(0)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301 - our own bytes
        there = twin.step(0)[0]["planes"]
        assert env.step(0)[0]["planes"].tolist() == there.tolist()
        env.reset()
        env.step(0)
        assert twin.state != env.state
