"""Long searches hear Ctrl-C: a process that is interrupted in the middle of one ends by KeyboardInterrupt."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

PATIENCE_S = 60  # a search that hears nothing goes on for longer, and fills the memory
HEADSTART_S = 1.0

LINES = """
from maze_gym.envs.sparc.search import plans
from maze_gym.envs.sparc.search import solver
from maze_gym.envs.sparc.rules.puzzle import Color, Kind, Puzzle, Symbol
star, square = Symbol(Kind.STAR, Color.RED), Symbol(Kind.SQUARE, Color.BLUE)
stars = [(1, 1), (5, 9), (9, 3), (11, 13), (15, 5), (17, 17), (19, 1), (3, 15), (7, 7), (13, 19)]
symbols = [(spot, star) for spot in stars] + [((1, 19), square), ((13, 13), square), ((19, 11), square)]
hard = Puzzle("hard", 10, 10, (20, 0), (0, 20), symbols=tuple(sorted(symbols)))
easy = Puzzle("easy", 2, 2, (4, 0), (0, 4))
"""
MAZES = r"""
from mazegen.rendering import picture
from mazegen.search import solver
from mazegen.validation import validator
cells = [list("#" * 42)] + [list("#" + "." * 40 + "#") for _ in range(40)] + [list("#" * 42)]
cells[1][1], cells[40][40] = "S", "*"
for number in range(2):
    cells[7][2 + 2 * number], cells[9][2 + 2 * number] = str(number), "="
for number, letter in enumerate("rgbypo"):
    cells[3][2 + 2 * number], cells[5][2 + 2 * number] = letter, letter.upper()
hard = picture.parse("\n".join(map("".join, cells)))
easy = picture.parse("#####\n#S.*#\n#####")
"""
MAKING = """
import itertools
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import MazeGenSpec, Topology
small, chain = MazeGenSpec(Topology.DENSE_MAZE, "ks", 9, 9), MazeGenSpec(Topology.SIDE_VAULT, "ksk", 15, 15)
easy = lambda number: number < 3 and generate((small, chain)[number % 2], number)
hard = lambda number: generate((small, chain)[number % 2], number)
numbers = itertools.count()
"""
SEARCHES = {
    "count lines": LINES + "search = lambda level: solver.count_solutions(level, bound=10**12)",
    "finish a line": LINES
    + "search = lambda level: solver.is_completable(level, (level.start,), bound=10**12)",
    "plan a line": LINES
    + "search = lambda level: plans.shortest_plan(level, (level.start,), backtracking=True, bound=10**12)",
    "make mazes": MAKING + "search = lambda level: all(map(level, numbers))",
    "solve a maze": MAZES + "search = lambda level: solver.solve(level, max_states=10**9)",
    "prove a maze": MAZES + "search = lambda level: validator.validate(level, max_states=10**9)",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_is_interrupted_ends_by_keyboard_interrupt(name: str) -> None:
    script = f"{SEARCHES[name]}\nsearch(easy)\nprint('searching', flush=True)\nsearch(hard)\n"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "searching\n"
            time.sleep(HEADSTART_S)
            assert child.poll() is None, child.communicate()
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=PATIENCE_S)
        finally:
            child.kill()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert child.returncode == -signal.SIGINT
