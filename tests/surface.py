"""The public names of a package with their signatures, as text that a review can read."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


class _Annotation:
    """A type as the source has it, without the quotes that ``inspect`` would add."""

    def __init__(self, annotation: object) -> None:
        self._text = getattr(annotation, "__forward_arg__", annotation)

    def __repr__(self) -> str:
        return self._text if isinstance(self._text, str) else inspect.formatannotation(self._text)


def _signature(function: Callable[..., object]) -> inspect.Signature:
    signature = inspect.signature(function)
    parameters = [
        each.replace(annotation=_Annotation(each.annotation)) if each.annotation is not each.empty else each
        for each in signature.parameters.values()
    ]
    returned = signature.return_annotation
    if returned is not signature.empty:
        returned = _Annotation(returned)
    return signature.replace(parameters=parameters, return_annotation=returned)


def surface(package: ModuleType) -> str:
    """Each name of ``__all__`` with what it is, and below each class what it has of its own."""
    return "".join(f"{line}\n" for name in sorted(package.__all__) for line in _lines(package, name))


def _lines(package: ModuleType, name: str) -> Iterator[str]:
    value = getattr(package, name)
    if not isinstance(value, type):
        yield f"{name}{_signature(value)}" if callable(value) else f"{name}: {type(value).__name__}"
        return
    bases = ", ".join(base.__name__ for base in value.__bases__)
    if issubclass(value, Enum):
        yield f"class {name}({bases})"
        yield from (f"    {member.name} = {member.value!r}" for member in value)
    elif issubclass(value, BaseException):
        yield f"class {name}({bases})"
    else:
        yield f"class {name}{_signature(value)}"
    for member, what in sorted(vars(value).items()):
        if member.startswith("_") or (issubclass(value, Enum) and member in value.__members__):
            continue
        if isinstance(what, property):
            yield f"    {member}: {inspect.signature(what.fget).return_annotation}"  # type: ignore[arg-type]  # ours have getters
        elif isinstance(what, classmethod | staticmethod):
            yield f"    @{type(what).__name__} {member}{_signature(what.__func__)}"
        elif inspect.isfunction(what):
            yield f"    {member}{_signature(what)}"
