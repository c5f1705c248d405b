"""The compiled loops: equal to their own source as plain Python, and to ``rules.step``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mazegen.core import rules
from mazegen.core.maze import Maze, Position, Switch
from mazegen.core.rules import compile_board
from mazegen.rendering.picture import parse
from mazegen.search import kernels, solver

from ...strategies import mazes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mazegen.search.kernels import Graph, Layout

NAMES = (
    "apply", "slot_of", "explore", "explore_first", "explore_on", "_begin", "_expand", "_doubled",
    "_rehashed", "find", "remaining_actions", "predecessors", "distances_from", "fewest_moves", "first_walk",
    "walk_on", "rollout",
)  # fmt: skip
COMPILED = SimpleNamespace(**{name: getattr(kernels, name) for name in NAMES})
HASHED = 60  # bits of the state index that no dense table is made for
ROLLOUT_STEPS = 2_000
ROLLOUT_MAZES = 60  # times the steps: more than 100,000 transitions

finishes = st.sampled_from(("arrival", "done_action"))
plain_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module", autouse=True)
def _compiled_first() -> None:
    """What is compiled while ``plain`` is in force would call plain Python, and be kept on disk like that."""
    maze = parse("#####\n#>#*#\n#####")
    for bits in (None, HASHED):
        list(all_loops(COMPILED, maze, "arrival", bits))
    board = compile_board(maze, "arrival")
    COMPILED.rollout(solver._layout(board), board.start, np.zeros(1, np.uint8))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The same functions as plain Python, calling each other as plain Python."""
    sources = {name: getattr(kernels, name) for name in NAMES}
    # Under NUMBA_DISABLE_JIT=1 they are plain already.
    sources = {name: getattr(function, "py_func", function) for name, function in sources.items()}
    for name, function in sources.items():
        monkeypatch.setattr(kernels, name, function)
    return SimpleNamespace(**sources)


def switch_room(rows: int, cols: int, switches: int) -> Maze:
    """An empty room with a row of decoy switches: its states multiply, its goal is next door."""
    walls = np.ones((rows, cols), np.uint8)
    walls[1:-1, 1:-1] = 0
    decoys = tuple(Switch(f"s{index}", Position(2, index + 1)) for index in range(switches))
    return Maze(rows, cols, walls.tobytes(), Position(1, 1), Position(rows - 2, cols - 2), switches=decoys)


def start_of(
    maze: Maze, finish: rules.Finish, bits: int | None = None
) -> tuple[Layout, tuple[int, int, int]]:
    """A layout and what ``explore`` wants to know about the start."""
    board = compile_board(maze, finish)
    layout = solver._layout(board)
    needed = (len(board.codes) * 4 - 1).bit_length() + layout.keys + layout.doors + layout.switches
    return layout, (*solver._packed(layout, board.start), needed if bits is None else bits)


def filled(graph: Graph, *, whole: bool) -> tuple[Any, ...]:
    """All of a graph that carries meaning: arrays are longer than they are filled."""
    size = int(graph.size)
    return (
        size,
        graph.nodes[:size].tolist(),
        graph.successors[:size].tolist() if whole else None,
        (int(graph.last), int(graph.last_action)),
        graph.table.tolist(),
        bool(graph.dense),
    )


def all_loops(
    functions: SimpleNamespace, maze: Maze, finish: rules.Finish, bits: int | None
) -> Iterator[Any]:
    """Everything the kernels say about a maze."""
    layout, start = start_of(maze, finish, bits)
    first = functions.explore(layout, start, 100_000, False)  # noqa: FBT003
    yield filled(first, whole=False)
    graph = functions.explore(layout, start, 100_000, True)  # noqa: FBT003
    yield filled(graph, whole=True)
    size, cells = graph.size, len(layout.codes)
    yield [functions.find(graph, *graph.nodes[node, :2], cells) for node in range(size)]
    yield functions.remaining_actions(graph.successors, size).tolist()
    moves, last, last_action, origins = functions.fewest_moves(graph)
    yield int(moves), int(last), int(last_action), origins.tolist()


@plain_settings
@given(maze=mazes(), finish=finishes, bits=st.sampled_from((None, HASHED)))
@example(maze=parse("#####\n#>#*#\n#####"), finish="arrival", bits=None)
def test_plain_and_compiled_loops_agree(
    plain: SimpleNamespace, maze: Maze, finish: rules.Finish, bits: int | None
) -> None:
    assert list(all_loops(plain, maze, finish, bits)) == list(all_loops(COMPILED, maze, finish, bits))


@pytest.mark.parametrize("whole", [True, False])
def test_plain_and_compiled_loops_agree_while_nodes_and_hash_table_grow(
    plain: SimpleNamespace, *, whole: bool
) -> None:
    maze = switch_room(8, 10, switches=6)
    # With success to be declared on a goal that is far away, most states come before the first success.
    layout, start = start_of(maze, "done_action", HASHED)
    graphs = [functions.explore(layout, start, 20_000, whole) for functions in (plain, COMPILED)]
    assert len(graphs[0].nodes) > kernels.FIRST_CAPACITY
    assert len(graphs[0].table) > kernels.FIRST_CAPACITY * 4 or not whole
    assert filled(graphs[0], whole=whole) == filled(graphs[1], whole=whole)


@settings(max_examples=ROLLOUT_MAZES)
@given(maze=mazes(max_rows=9, max_cols=9, max_mechanisms=12), finish=finishes, seed=st.integers(0, 2**32))
def test_a_compiled_rollout_agrees_with_plain_steps_on_over_100_000_of_them(
    maze: Maze, finish: rules.Finish, seed: int
) -> None:
    board = compile_board(maze, finish)
    # Steps forward abound, so that the walk gets around.
    choices = np.array([0, 1, 2, 2, 2, 2, 3, 4, 4, 5], np.uint8)
    actions = np.random.default_rng(seed).choice(choices, ROLLOUT_STEPS)
    record = kernels.rollout(solver._layout(board), board.start, actions)
    state, expected = board.start, []
    for action in actions.tolist():
        state, event, _ = rules.step(board, state, action)
        expected.append([*state, event])
    assert record.tolist() == expected


@plain_settings
@given(maze=mazes(), finish=finishes, actions=st.binary(max_size=60))
def test_plain_and_compiled_rollouts_agree(
    plain: SimpleNamespace, maze: Maze, finish: rules.Finish, actions: bytes
) -> None:
    board = compile_board(maze, finish)
    played = np.frombuffer(actions, np.uint8) % rules.ACTIONS
    arguments = (solver._layout(board), board.start, played)
    assert plain.rollout(*arguments).tolist() == COMPILED.rollout(*arguments).tolist()


@given(
    action=st.integers(0, 5),
    facing=st.integers(0, 3),
    codes=st.tuples(*[st.integers(0, rules.WALL)] * 2),
    masks=st.tuples(*[st.integers(0, 2**20 - 1)] * 5),
    arrival=st.booleans(),
)
def test_the_compiled_heart_of_the_rules_agrees_with_its_source_on_any_arguments(
    action: int, facing: int, codes: tuple[int, int], masks: tuple[int, ...], *, arrival: bool
) -> None:
    (here, ahead), (link, trait, taken, opened, on) = codes, masks
    arguments = (action, facing, here, ahead, link, trait, arrival, taken, opened, on)
    assert kernels.apply(*arguments) == rules.apply(*arguments)


@given(maze=mazes(), finish=finishes)
def test_dense_and_hashed_tables_give_the_same_graph(maze: Maze, finish: rules.Finish) -> None:
    dense, hashed = (
        kernels.explore(*start_of(maze, finish, bits), 100_000, True)  # noqa: FBT003
        for bits in (None, HASHED)
    )
    assert (bool(dense.dense), bool(hashed.dense)) == (True, False)
    size = int(dense.size)
    assert int(hashed.size) == size
    assert np.array_equal(dense.nodes[:size], hashed.nodes[:size])
    assert np.array_equal(dense.successors[:size], hashed.successors[:size])


@pytest.mark.parametrize("bits", [None, HASHED])
def test_every_reached_state_is_found_and_no_other(bits: int | None) -> None:
    maze = parse("######\n#>r0.#\n#..R*#\n######")
    layout, start = start_of(maze, "arrival", bits)
    graph = kernels.explore(layout, start, 100_000, True)  # noqa: FBT003
    known = {(int(pose), int(masks)) for pose, masks in graph.nodes[: graph.size, :2]}
    for pose in range(len(layout.codes) * 4):
        for masks in range(2**3):
            assert (kernels.find(graph, pose, masks, len(layout.codes)) >= 0) == ((pose, masks) in known)


def test_a_dense_table_has_a_slot_of_its_own_for_each_state(plain: SimpleNamespace) -> None:
    cells, masks = 35, 2**4
    slots = [
        plain.slot_of(pose, mask, True, 0, cells)  # noqa: FBT003
        for mask in range(masks)
        for pose in range(cells * 4)
    ]
    assert slots == list(range(cells * 4 * masks))


@given(pose=st.integers(0, 2**16 - 1), masks=st.integers(0, 2**60 - 1), power=st.integers(1, 30))
def test_a_hashed_slot_is_in_the_table(pose: int, masks: int, power: int) -> None:
    slot = kernels.slot_of(pose, masks, False, 2**power, 2**14)  # noqa: FBT003
    assert 0 <= slot < 2**power


@given(pose=st.integers(0, 2**16 - 1), masks=st.integers(0, 2**60 - 1))
def test_the_hash_is_the_same_for_python_ints_and_for_machine_words(pose: int, masks: int) -> None:
    source: Callable[..., int] = getattr(COMPILED.slot_of, "py_func", COMPILED.slot_of)
    assert source(pose, masks, False, 2**20, 2**14) == kernels.slot_of(pose, masks, False, 2**20, 2**14)  # noqa: FBT003


def test_hashed_slots_spread_over_the_table() -> None:
    slots, cells = 2**16, 256
    states = [(pose, masks) for masks in range(2**5) for pose in range(cells * 4)]
    taken = {int(kernels.slot_of(pose, masks << 40, False, slots, cells)) for pose, masks in states}  # noqa: FBT003
    # 32,768 states in 65,536 slots at random would take 1 - exp(-1/2) = 39 % of them.
    assert len(taken) > 0.3 * slots


def test_a_search_over_its_limit_says_so() -> None:
    layout, start = start_of(switch_room(6, 6, switches=3), "arrival")
    assert kernels.explore(layout, start, 100, True).size == kernels.UNKNOWN  # noqa: FBT003
