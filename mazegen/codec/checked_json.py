"""Read JSON values with their paths, collecting every problem instead of stopping at the first."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any, NoReturn

from mazegen.core.file_errors import not_text
from mazegen.core.well_formed import text_problem
from mazegen.errors import MazeFormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MAX_BYTES = 4 * 1024 * 1024  # a 128 x 128 maze with every wall listed takes 0.3 MB
MAX_DEPTH = 32  # ours needs 5
MAX_VALUES = MAX_BYTES // 2  # a value and what separates it from the next take two bytes of text
MAX_ITEMS = 32_768  # twice the cells of the largest maze; bounds the work that a hopeless file makes
MAX_UNKNOWN = 20  # unknown fields of one object that are named one by one
SHOWN = 60  # characters of an offending value that a message repeats


def parse(data: bytes | str, source: str) -> Any:  # noqa: ANN401 - JSON is anything until it is checked
    """Decode bounded, strict JSON: no NaN, no duplicate names, no absurd nesting.

    Raises:
        MazeFormatError: the text is not such JSON; says where and what to do.
    """
    if len(data) > MAX_BYTES:
        refuse(source, f"is larger than {MAX_BYTES // 2**20} MiB; a maze file is at most that")
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data.removeprefix("\ufeff")
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_names)
    except UnicodeDecodeError as error:
        refuse(source, not_text(error), error)
    except json.JSONDecodeError as error:
        refuse(source, f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}", error)
    except RecursionError as error:
        refuse(source, f"is nested deeper than {MAX_DEPTH} levels", error)
    except ValueError as error:
        refuse(source, f"is not a JSON that mazes use: {error}", error)
    check_depth(value, source)
    return value


def check_depth(value: object, source: str) -> None:
    """Refuse what no file could hold: too deep, too much, or a list within itself.

    Raises:
        MazeFormatError: it is.
    """
    level: list[object] = [value]
    values = 0
    for _ in range(MAX_DEPTH + 1):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list | tuple):
                below.extend(item)
            if values + len(below) > MAX_VALUES:
                refuse(source, f"holds more than {MAX_VALUES:,} values")
        if not below:
            return
        values += len(below)
        level = [item for item in below if isinstance(item, dict | list | tuple)]
    refuse(source, f"is nested deeper than {MAX_DEPTH} levels")


def refuse(source: str, message: str, cause: BaseException | None = None) -> NoReturn:
    """Raise the one error for a document that cannot be read at all."""
    raise MazeFormatError([Problem("$", message)], source) from cause


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is not a number that a maze can hold"
    raise ValueError(msg)


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # add() is None on purpose
        msg = f"the name {twice!r} stands twice in one object"
        raise ValueError(msg)
    return members


def shown(value: object) -> str:
    """An offending value for a message: its JSON, cut to a readable length, control characters escaped."""
    try:
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError):  # names that are no strings, a number of thousands of digits
        text = f"what is no JSON ({type(value).__name__})"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


class Reader:
    """Typed access to decoded JSON; a value that is wrong becomes None and a line in ``problems``."""

    def __init__(self) -> None:
        """Start without problems."""
        self.problems: list[Problem] = []

    def fail(self, path: str, message: str) -> None:
        """Note one problem."""
        self.problems.append(Problem(path, message))

    def members(
        self, value: object, path: str, required: Iterable[str], optional: Collection[str] = ()
    ) -> dict[str, Any]:
        """An object with these names and no others; a misspelt name is answered with the close one."""
        if not isinstance(value, dict):
            self.fail(path, f"must be an object, got {shown(value)}")
            return {}
        required = tuple(required)
        known = (*required, *optional)
        for name in required:
            if name not in value:
                self.fail(path, f"lacks {name!r}")
        unknown = [name for name in value if name not in known]
        if len(unknown) > MAX_UNKNOWN:
            self.fail(path, f"has {len(unknown):,} unknown fields; it knows {', '.join(known)}")
        else:
            for name in unknown:
                close = difflib.get_close_matches(str(name), known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else "free-form data belongs in 'metadata'"
                self.fail(
                    f"{path}.{name}" if str(name).isidentifier() else path,
                    f"unknown field {shown(name)}; {hint}",
                )
        return value

    def items(self, value: object, path: str) -> list[Any]:
        """A list; anything else is a problem and an empty list."""
        if not isinstance(value, list | tuple):
            self.fail(path, f"must be a list, got {shown(value)}")
        elif len(value) > MAX_ITEMS:
            self.fail(path, f"must hold at most {MAX_ITEMS:,} items, got {len(value):,}")
        else:
            return list(value)
        return []

    def integer(self, value: object, path: str, minimum: int, maximum: int) -> int | None:
        """An integer within bounds; a bool or a float is not one."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(path, f"must be an integer, got {shown(value)}")
        elif not minimum <= value <= maximum:
            self.fail(path, f"must be from {minimum} to {maximum}, got {shown(value)}")
        else:
            return value
        return None

    def boolean(self, value: object, path: str) -> bool | None:
        """True or false, nothing else."""
        if isinstance(value, bool):
            return value
        self.fail(path, f"must be true or false, got {shown(value)}")
        return None

    def text(self, value: object, path: str, longest: int, *, multiline: bool = False) -> str | None:
        """A printable string; an id is never empty, a description may be and may hold line breaks."""
        if isinstance(value, str):
            problem = text_problem(value, longest, multiline=multiline)
            if problem is None:
                return value
            self.fail(path, problem)
        else:
            self.fail(path, f"must be a string, got {shown(value)}")
        return None

    def choice(self, value: object, path: str, choices: Collection[str]) -> str | None:
        """One of a closed set of words."""
        if isinstance(value, str) and value in choices:
            return value
        close = difflib.get_close_matches(value, choices, n=1) if isinstance(value, str) else []
        hint = f"; did you mean {close[0]!r}?" if close else ""
        self.fail(path, f"must be one of {', '.join(choices)}, got {shown(value)}{hint}")
        return None
