"""A puzzle in the making: symbols, dots and gaps are laid around a line so that the line obeys them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maze_gym.envs.sparc.generation.difficulty import Content, score_of
from maze_gym.envs.sparc.generation.polyominoes import cut, shape_id
from maze_gym.envs.sparc.rules.constraints import STAR_GROUP
from maze_gym.envs.sparc.rules.puzzle import MAX_TRIANGLES, STEPS, Kind, Puzzle, Symbol, normalized
from maze_gym.envs.sparc.rules.regions import regions

if TYPE_CHECKING:
    from maze_gym.envs.sparc.generation.random_stream import RandomStream
    from maze_gym.envs.sparc.rules.puzzle import Color, Path, Position

MAX_PIECES = 4  # polyominoes of one region, ylops aside
_MAX_YLOP = 3  # cells
_EVEN_YLOPS = 0.2  # share of ylops that cancel one polyomino of the same shape
_CUTS = 4  # ways to cut a region that are tried


class Draft:
    """A board with a line on it, to which things are added one by one.

    Args:
        height: rule cells from top to bottom.
        width: rule cells from left to right.
        path: the line.
        palette: colours that symbols may have.
        dice: decides everything.
        connected: whether shapes must be connected.
    """

    def __init__(
        self,
        height: int,
        width: int,
        path: Path,
        palette: tuple[Color, ...],
        dice: RandomStream,
        *,
        connected: bool,
    ) -> None:
        """Begin with an empty board."""
        self._bare = Puzzle("draft", height, width, path[0], path[-1])
        self._path, self._on, self._palette, self._dice = path, frozenset(path), palette, dice
        self._connected = connected
        self._regions = regions(self._bare, path)
        self._region_of = {cell: number for number, region in enumerate(self._regions) for cell in region}
        self._free = dice.shuffled(sorted(self._region_of))
        self._symbols: dict[Position, Symbol] = {}
        self._shapes: dict[int, tuple[Position, ...]] = {}
        self._filled: set[int] = set()  # regions that hold shapes
        lanes = [each for each in self._bare.lanes if each not in {path[0], path[-1]}]
        self._dots: list[Position] = []
        self._gaps: list[Position] = []
        self._dottable = dice.shuffled([each for each in lanes if each in self._on])
        self._closable = dice.shuffled([each for each in lanes if each not in self._on and sum(each) % 2])
        self._adders = {
            Kind.SQUARE: self._add_square,
            Kind.STAR: self._add_star,
            Kind.TRIANGLE: self._add_triangle,
            Kind.POLYOMINO: self._add_polyominoes,
            Kind.YLOP: self._add_ylop,
        }

    @property
    def score(self) -> float:
        """Difficulty of the board as it is."""
        symbols = self._symbols.values()
        kinds = tuple(symbol.kind for symbol in symbols)
        colors = len({symbol.color for symbol in symbols})
        cells = self._bare.height * self._bare.width
        return score_of(Content(cells, kinds, colors, len(self._dots), len(self._gaps)))

    def add(self, kind: Kind) -> bool:
        """Add one symbol, or as many as belong together; False where there is no room for it."""
        return self._adders[kind]()

    def add_dot(self) -> bool:
        """Put a dot on the line."""
        if self._dottable:
            self._dots.append(self._dottable.pop())
            return True
        return False

    def add_gap(self) -> bool:
        """Close an edge beside the line."""
        if self._closable:
            self._gaps.append(self._closable.pop())
            return True
        return False

    def to_puzzle(self) -> Puzzle:
        """The board as it is, without id, level and solutions."""
        return Puzzle(
            "draft",
            self._bare.height,
            self._bare.width,
            self._bare.start,
            self._bare.end,
            tuple(sorted(self._gaps)),
            tuple(sorted(self._dots)),
            tuple(sorted(self._symbols.items())),
            tuple(sorted(self._shapes.items())),
        )

    def _held(self, region: int) -> list[Symbol]:
        return [self._symbols[cell] for cell in self._regions[region] if cell in self._symbols]

    def _room(self, region: int) -> list[Position]:
        """Free cells of a region, in random order."""
        return [cell for cell in self._free if self._region_of[cell] == region]

    def _colors(self, region: int) -> list[Color]:
        """Colours of which the region can hold one more: no star there has found its partner."""
        paired = {symbol.color for symbol in self._held(region) if symbol.kind == Kind.STAR}
        return [color for color in self._palette if color not in paired]

    def _put(self, cell: Position, symbol: Symbol) -> None:
        self._symbols[cell] = symbol
        self._free.remove(cell)

    def _add_square(self) -> bool:
        for cell in self._free[:1]:
            region = self._region_of[cell]
            colors = self._colors(region)
            squares = {symbol.color for symbol in self._held(region) if symbol.kind == Kind.SQUARE}
            colors = [color for color in colors if not squares or color in squares]
            if colors:
                self._put(cell, Symbol(Kind.SQUARE, self._dice.choice(colors)))
                return True
            self._free.append(self._free.pop(0))  # next time another region has its turn
        return False

    def _add_star(self) -> bool:
        """A star beside the one symbol of its colour in a region, or a pair of stars."""
        for cell in self._free[:1]:
            region = self._region_of[cell]
            held, room = self._held(region), self._room(region)
            for color in self._dice.shuffled(self._colors(region)):
                missing = STAR_GROUP - sum(symbol.color == color for symbol in held)
                if 0 < missing <= len(room):
                    for star in room[:missing]:
                        self._put(star, Symbol(Kind.STAR, color))
                    return True
            self._free.append(self._free.pop(0))
        return False

    def _add_triangle(self) -> bool:
        touched = {
            (row, col): sum((row + down, col + right) in self._on for down, right in STEPS)
            for row, col in self._free
        }
        # Four touched edges are rare: only a line that begins or ends on an edge can touch them.
        for cell in sorted(self._free, key=lambda cell: touched[cell] < MAX_TRIANGLES):
            colors = self._colors(self._region_of[cell])
            if touched[cell] and colors:
                self._put(cell, Symbol(Kind.TRIANGLE, self._dice.choice(colors), touched[cell]))
                return True
        return False

    def _add_polyominoes(self) -> bool:
        """Cut a region that has room for the symbols of all its pieces, into few single cells."""
        open_regions = dict.fromkeys(self._region_of[cell] for cell in self._free)
        # Regions of a single cell come last: their shape tells all.
        for region in sorted(open_regions, key=lambda region: len(self._regions[region]) == 1):
            if region not in self._filled and self._colors(region):
                cells = _small(self._regions[region])
                cuts = [cut(self._dice, cells, connected=self._connected) for _ in range(_CUTS)]
                room = min(len(self._room(region)), MAX_PIECES)
                pieces = min((pieces for pieces in cuts if len(pieces) <= room), key=_singles, default=None)
                if pieces is not None:
                    self._put_shapes(region, pieces, ())
                    return True
        return False

    def _add_ylop(self) -> bool:
        """Cut a region together with cells beside it, which a ylop takes back; or cancel one polyomino."""
        for region in dict.fromkeys(self._region_of[cell] for cell in self._free):
            if region in self._filled or not self._colors(region):
                continue
            cells = _small(self._regions[region])
            if self._dice.chance(_EVEN_YLOPS):
                everything = _small(tuple(self._region_of))
                pieces = cut(self._dice, everything, connected=self._connected)
                taken = self._dice.choice(pieces)
                pieces = [taken]
            else:
                taken = self._beside(set(cells))
                pieces = cut(self._dice, (*cells, *taken), connected=self._connected) if taken else []
            if taken and len(pieces) <= min(len(self._room(region)) - 1, MAX_PIECES):
                self._put_shapes(region, pieces, (taken,))
                return True
        return False

    def _beside(self, cells: set[Position]) -> tuple[Position, ...]:
        """A few connected cells outside of a region that touch it; none if it is the whole board."""
        others = set(_small(tuple(self._region_of))) - cells
        taken: list[Position] = []
        for _ in range(self._dice.between(1, _MAX_YLOP)):
            near = set(taken) or cells
            options = sorted(
                (row, col)
                for row, col in others
                if any((row + down, col + right) in near for down, right in STEPS)
            )
            if not options:
                break
            taken.append(self._dice.choice(options))
            others.remove(taken[-1])
        return tuple(sorted(taken))

    def _put_shapes(
        self, region: int, pieces: list[tuple[Position, ...]], taken: tuple[tuple[Position, ...], ...]
    ) -> None:
        """Put a symbol for each polyomino and ylop into the region."""
        self._filled.add(region)
        colors = self._colors(region)
        kinds = [(Kind.POLYOMINO, cells) for cells in pieces] + [(Kind.YLOP, cells) for cells in taken]
        for cell, (kind, cells) in zip(self._room(region), kinds, strict=False):
            number = shape_id(cells)
            self._shapes[number] = normalized(cells)
            self._put(cell, Symbol(kind, self._dice.choice(colors), 0, number))


def _singles(pieces: list[tuple[Position, ...]]) -> int:
    """How many shapes have a single cell."""
    return sum(len(piece) == 1 for piece in pieces)


def _small(region: tuple[Position, ...]) -> tuple[Position, ...]:
    """Rule cells counted without the lanes between them."""
    return tuple((row // 2, col // 2) for row, col in region)
