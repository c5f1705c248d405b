"""Write ``docs/worlds/*.md``, a page for each world, from the registry, the spaces and the class docstring.

``python tools/world_pages.py`` writes them; with ``--check`` it only says which are out of date, and exits 1.
Nothing on these pages is written by hand, so nothing on them can go stale.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

import maze_gym  # noqa: F401 - registers the worlds
from maze_gym.game import Wording, text_game
from maze_gym.registration import PRESETS, WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from maze_gym.registration import WorldSpec

PAGES = Path(__file__).parents[1] / "docs" / "worlds"
SEED = 0
NOTICE = "<!-- Written by tools/world_pages.py; edit the env's docstring, then run it again. -->"
_ARGUMENT = re.compile(r"^(\w+): (.*)$")


def page(world: WorldSpec) -> str:
    """The page of one world."""
    env: Any = gym.make(world.id)
    _, info = env.reset(seed=SEED)
    summary, sections, arguments = read_docstring(type(env.unwrapped))
    parts = [
        NOTICE,
        f"# {world.id}",
        summary,
        f"![the oracle at play in {world.id}](../images/{world.id}.gif)",
        "\n".join(table(("", ""), overview(world, env))),
        f'```python\nimport gymnasium as gym\nimport maze_gym\n\nenv = gym.make("{world.id}")\n```',
    ]
    for title, body in sections.items():
        parts.append(f"## {title}\n\n{body}")
        if title == "Action space":
            parts.append("\n".join(table(("number", "action"), enumerate(env.unwrapped.action_names))))
        if title == "Observation space":
            parts.append(
                "\n".join(table(("key", "space", "shape", "dtype", "range"), leaves(env.observation_space)))
            )
            parts.append(numbers(env.unwrapped.legend()))
        if title == "Info":
            keys = ", ".join(f"`{key}`" for key in sorted(info))
            parts.append(f"After the reset of this page's level it holds {keys}.")
    parts.append("## Arguments\n\n" + "\n".join(table(("argument", "default", "meaning"), arguments)))
    presets = [
        (f"`{each.id}`", each.summary, json.dumps(each.kwargs)) for each in PRESETS if each.world == world.id
    ]
    if presets:
        rows = ((name, summary, f"`{kwargs}`") for name, summary, kwargs in presets)
        parts.append("## Presets\n\n" + "\n".join(table(("id", "what it is", "arguments"), rows)))
    parts.append(told(env))
    env.close()
    return "\n\n".join(parts) + "\n"


def gallery() -> str:
    """The page that leads to all others: what each world is, and the oracle at play in it."""
    cards = [
        f":::{{grid-item-card}} {world.id}\n:link: {world.id}\n:link-type: doc\n"
        f":img-top: ../images/{world.id}.gif\n\n{world.summary[0].upper()}{world.summary[1:]}.\n:::"
        for world in WORLDS
    ]
    rows = [(f"`{preset.id}`", preset.summary) for preset in PRESETS]
    parts = [
        NOTICE,
        "# The worlds",
        "Each is played by the same `step`, by a language model, an RL policy, an oracle or a person.",
        "\n\n".join(("::::{grid} 1 2 2 3\n:gutter: 3", *cards, "::::")),
        "## Presets",
        "\n".join(table(("id", "what it is"), rows)),
        "```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(world.id for world in WORLDS) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def overview(world: WorldSpec, env: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any world
    """What stands at the top of a page."""
    yield "id", f"`{world.id}`"
    yield "actions", f"`{env.action_space}`"
    yield "version", "v0: the first; a change that changes scores gets the next number"
    yield "default levels", f"`{world.suite}`"
    yield "difficulty tiers", "1 to 5" if world.has_tiers else "none"
    yield "pictures", ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])
    yield "class", f"`{world.entry_point.replace(':', '.')}`"


def read_docstring(env_class: type) -> tuple[str, dict[str, str], list[tuple[str, str, str]]]:
    """Summary, ``## `` sections and (argument, default, meaning) rows of an env's docstring."""
    text = inspect.getdoc(env_class) or ""
    body, _, rest = text.partition("\nArgs:\n")
    summary, *chunks = re.split(r"^## ", body, flags=re.MULTILINE)
    sections = {}
    for chunk in chunks:
        title, _, content = chunk.partition("\n")
        sections[title.strip()] = content.strip()
    signature = inspect.signature(env_class.__init__)  # type: ignore[misc]  # of a class, never of an instance
    rows = []
    for name, meaning in _arguments(rest.partition("\nRaises:\n")[0]):
        default = signature.parameters[name].default
        shown = "required" if default is inspect.Parameter.empty else f"`{default!r}`"
        rows.append((f"`{name}`", shown, meaning))
    return summary.strip(), sections, rows


def _arguments(text: str) -> Iterator[tuple[str, str]]:
    """Name and meaning of each line group ``name: meaning`` of a Google-style Args section."""
    groups: list[list[str]] = []
    for line in inspect.cleandoc(text).splitlines():
        if match := _ARGUMENT.match(line):
            groups.append([match[1], match[2]])
        elif line.strip():
            groups[-1][1] += " " + line.strip()
    return ((name, meaning) for name, meaning in groups)


def leaves(space: spaces.Space[Any]) -> Iterator[tuple[str, str, str, str, str]]:
    """One row for each key of a ``Dict``."""
    if not isinstance(space, spaces.Dict):
        msg = f"worlds observe a Dict, got {space}"
        raise TypeError(msg)
    for key, leaf in space.spaces.items():
        yield f"`{key}`", type(leaf).__name__, f"`{leaf.shape}`", f"`{leaf.dtype}`", bounds(leaf)


def bounds(space: spaces.Space[Any]) -> str:
    """Smallest and largest value of a space."""
    if isinstance(space, spaces.Box):
        return f"{_plain(space.low.min())} to {_plain(space.high.max())}"
    if isinstance(space, spaces.Discrete):
        return f"{space.start} to {space.start + space.n - 1}"
    if isinstance(space, spaces.MultiDiscrete):
        return f"0 to ({', '.join(str(size - 1) for size in space.nvec.tolist())})"
    return "0 or 1" if isinstance(space, spaces.MultiBinary) else ""


def _plain(value: Any) -> str:  # noqa: ANN401 - a NumPy scalar of any kind
    return str(int(value)) if np.issubdtype(type(value), np.integer) else f"{float(value):g}"


def numbers(legend: Mapping[str, Mapping[int, str]]) -> str:
    """What the numbers in an observation mean."""
    rows = (
        (what, ", ".join(f"{number} {name}" for number, name in names.items()))
        for what, names in legend.items()
    )
    return "What the numbers mean (`env.unwrapped.legend()`):\n\n" + "\n".join(table(("", "numbers"), rows))


def told(env: Any) -> str:  # noqa: ANN401 - any world
    """What a language model reads on its first turn."""
    said = text_game(env).describe(Wording())
    text = "\n\n".join(part for part in (said.rules, said.level, said.state) if part)
    fence = "```text\n" + text + "\n```"
    return f'## What a language model reads\n\nThe first turn, with `prompting="standard"`:\n\n{fence}'


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    titles = list(head)
    yield "| " + " | ".join(titles) + " |"
    yield "| " + " | ".join("---" for _ in titles) + " |"
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is out of date")
    check = parser.parse_args().check
    stale = []
    for name, text in [("index", gallery()), *((world.id, page(world)) for world in WORLDS)]:
        path = PAGES / f"{name}.md"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if not check:
            PAGES.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.stderr.write(f"{'out of date' if check else 'written'}: {', '.join(stale)}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
