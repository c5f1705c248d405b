"""The conformance checks: a world that breaks a promise does not pass."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from maze_gym.testing import check_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXAMPLE = Path(__file__).parents[2] / "examples/07_new_world.py"
MODULE = "corridor_of_the_example"


@pytest.fixture(scope="module")
def corridor() -> Iterator[type[Any]]:
    """The world of the example, which passes; importing it registers it."""
    spec = importlib.util.spec_from_file_location(MODULE, EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Corridor
    del sys.modules[MODULE], gym.registry["Corridor-v0"]


def ending_with(**last: object) -> Callable[[type[Any]], Callable[..., Any]]:
    """A broken ``step``, whose infos end with something else."""

    def broken(world: type[Any]) -> Callable[..., Any]:
        intact = world.step

        def step(self: Any, action: Any) -> tuple[Any, ...]:
            *rest, terminated, truncated, info = intact(self, action)
            return (*rest, terminated, truncated, info | last if terminated or truncated else info)

        return step

    return broken


def with_info_of_other_kinds(world: type[Any]) -> Callable[..., Any]:
    """A broken ``step``, whose infos hold a number that is not always known."""
    intact = world.step

    def step(self: Any, action: Any) -> tuple[Any, ...]:
        *rest, info = intact(self, action)
        return (*rest, info | {"report": {"distance": 1 if "is_success" in info else None}})

    return step


def returning(value: object) -> Callable[[type[Any]], Callable[..., Any]]:
    """A broken method of a world, which always returns this."""
    return lambda world: lambda self: value  # noqa: ARG005 - as a method of a world is called


def test_the_intact_example_passes(corridor: type[Any]) -> None:
    assert corridor.action_names == ("LEFT", "RIGHT")
    check_world("Corridor-v0")


@pytest.mark.parametrize(
    ("name", "broken", "message"),
    [
        ("optimal_action", returning(99), "optimal_action.. must be None or an action from 0 to 1, got 99"),
        ("optimal_action", returning("RIGHT"), "optimal_action.. must be .*'RIGHT'"),
        ("greedy_action", returning(None), "greedy_action.. must be an action from 0 to 1, got None"),
        ("greedy_action", returning(-1), "greedy_action.. must be .*-1"),
        ("progress_signature", returning([1, 2]), r"progress_signature.. must be hashable, got \[1, 2\]"),
        ("step", ending_with(is_success="maybe"), "is_success must be True or False, got 'maybe'"),
        ("step", with_info_of_other_kinds, r"info\['report', 'distance'\] is of kind"),
        ("step", ending_with(is_success=None), "is_success must be True or False, got None"),
    ],
)
def test_a_broken_promise_is_told(
    corridor: type[Any],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    broken: Callable[[type[Any]], Any],
    message: str,
) -> None:
    monkeypatch.setattr(corridor, name, broken(corridor))
    with pytest.raises(AssertionError, match=message):
        check_world("Corridor-v0")


def test_success_by_the_clock_is_told(corridor: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[MODULE], "TILES", 10**6)  # nobody gets there in time
    monkeypatch.setattr(corridor, "step", ending_with(is_success=True)(corridor))
    with pytest.raises(AssertionError, match="is_success is True, and terminated is not"):
        check_world("Corridor-v0")
