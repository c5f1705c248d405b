"""The order of a step once more, slowly, in sets and (row, col) pairs: written from the list in ``rules``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maze_gym.envs.pacman import rules
from maze_gym.envs.pacman.rules import Event

from ..boards import LUCK, MINDS, layouts, play

if TYPE_CHECKING:
    from maze_gym.envs.pacman.rules import State
    from maze_gym.envs.pacman.rules.ghost_behaviour import GhostBehaviour
    from maze_gym.envs.pacman.rules.layout import Layout

Place = tuple[int, int]
WAYS = {0: (-1, 0), 1: (1, 0), 2: (0, -1), 3: (0, 1)}
LIKED = (2, 3, 0, 1)  # LEFT, RIGHT, UP, DOWN
FAR = 1 << 16


@dataclass
class Book:
    """A game as somebody plays it who reads the list."""

    layout: Layout
    mind: GhostBehaviour
    player: Place
    ghosts: list[Place]
    pellets: set[Place]
    timer: int
    spent: set[int]
    phase: int
    luck: int
    events: set[Event] = field(default_factory=set)
    points: int = 0

    def beside(self, place: Place, way: int) -> Place:
        row, col = place[0] + WAYS[way][0], place[1] + WAYS[way][1]
        inside = 0 <= row < self.layout.rows and 0 <= col < self.layout.cols
        return (row, col) if inside and (row, col) in self.floor else place

    @property
    def floor(self) -> list[Place]:
        return places(self.layout, ~self.layout.walls & (1 << self.layout.cells) - 1)

    def play(self, action: int) -> None:
        was, self.player = self.player, self.beside(self.player, action)  # 1
        if self.player == was:
            self.events.add(Event.BUMPED)
        elif self.player in self.pellets:  # 2
            self.eat()
        resting = {index for index, ghost in enumerate(self.ghosts) if ghost == self.player}
        self.meet(resting)  # 3
        if not self.pellets and Event.DIED not in self.events:  # 4
            self.events.add(Event.WON)
            self.points += 1000
        if not self.events & {Event.DIED, Event.WON}:  # 5
            for index in range(len(self.ghosts)):
                if index not in resting:
                    self.ghosts[index] = self.next_of(index)
            here = {index for index, ghost in enumerate(self.ghosts) if ghost == self.player}
            self.meet(here - resting)
            if self.mind.scatter:
                self.phase = (self.phase + 1) % 27
        if Event.POWER not in self.events:  # 6
            self.timer = max(self.timer - 1, 0)
        if not self.timer:
            self.spent = set()

    def eat(self) -> None:
        self.pellets.remove(self.player)
        if self.player in places(self.layout, self.layout.power):
            self.timer, self.spent = 15, set()
            self.events.add(Event.POWER)
            self.points += 50
        else:
            self.events.add(Event.DOT)
            self.points += 10

    def meet(self, ghosts: set[int]) -> None:
        if ghosts and not self.timer:
            self.events.add(Event.DIED)
            return
        for index in ghosts:
            self.events.add(Event.AGAIN if index in self.spent else Event.GHOST)
            self.points += 0 if index in self.spent else 200
            self.spent.add(index)
            self.ghosts[index] = self.layout.position(self.layout.ghosts[index])

    def next_of(self, index: int) -> Place:
        ghost, target, flees = self.ghosts[index], self.player, self.mind.flee and self.timer > 0
        if self.mind.scatter and self.phase < 7 and not flees:
            target = self.corner(index % 4)
        now = self.distance(ghost, target)
        after = {way: self.distance(self.beside(ghost, way), target) for way in LIKED}
        good = [way for way in LIKED if after[way] < now]
        if flees:
            good = [way for way in LIKED if after[way] == max(after.values()) > now]
        if not good:
            return ghost
        if self.mind.random_ties and len(good) > 1:
            self.luck = (self.luck * 6364136223846793005 + 1442695040888963407) % 2**64
            return self.beside(ghost, good[(self.luck >> 33) % len(good)])
        return self.beside(ghost, good[0])

    def corner(self, number: int) -> Place:
        row, col = (self.layout.rows - 1) * (number // 2), (self.layout.cols - 1) * (1 - number % 2)
        return min(self.floor, key=lambda place: abs(place[0] - row) + abs(place[1] - col))

    def distance(self, here: Place, there: Place) -> int:
        if self.mind.chase == "manhattan":
            return abs(here[0] - there[0]) + abs(here[1] - there[1])
        reached, steps = {here}, 0
        while there not in reached:
            more = reached | {self.beside(place, way) for place in reached for way in WAYS}
            if more == reached:
                return FAR
            reached, steps = more, steps + 1
        return steps


def places(layout: Layout, cells: int) -> list[Place]:
    """(row, col) of each cell of a mask."""
    return [layout.position(cell) for cell in range(layout.cells) if cells >> cell & 1]


def opened(layout: Layout, mind: GhostBehaviour, state: State) -> Book:
    """A state in the terms of the book."""
    return Book(
        layout,
        mind,
        layout.position(state.player),
        [layout.position(ghost) for ghost in state.ghosts],
        set(places(layout, state.pellets)),
        state.timer,
        {index for index in range(len(state.ghosts)) if state.spent >> index & 1},
        state.phase,
        state.luck,
    )


@given(layout=layouts(), mind=MINDS, luck=LUCK, seed=st.integers(0, 2**32))
@settings(max_examples=200)
def test_every_step_goes_by_the_book(layout: Layout, mind: GhostBehaviour, luck: int, seed: int) -> None:
    """In games long enough to meet ghosts with and without power."""
    board = rules.compile_board(layout, mind)
    actions = np.random.default_rng(seed).integers(len(WAYS), size=60).tolist()
    for before, action, (after, events, points) in play(board, actions, luck):
        book = opened(layout, mind, before)
        book.play(action)
        assert {event for event in Event if events & event} == book.events
        assert (points, after.score - before.score) == (book.points, book.points)
        assert replace(book, events=set(), points=0) == opened(layout, mind, after)
