"""One name means one thing: no public class is defined twice, but for those listed here with the reason.

The list may only shrink: a name that has become unique, or that is defined elsewhere than the list says,
fails as well. The glossary says each term once.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (ROOT / "mazegen", ROOT / "src" / "maze_gym")

# The grammar that every world has in its own form: the same word, the same part, another world.
MAZE, PACMAN, SPARC = "maze_gym.envs.maze", "maze_gym.envs.pacman", "maze_gym.envs.sparc"
GRAMMAR = {
    "Action": ("mazegen.core.actions", f"{PACMAN}.rules.transition", f"{SPARC}.rules.transition"),
    # The third is a table of players, which has no part in any world and waits for another name.
    "Board": ("mazegen.core.rules", f"{PACMAN}.rules.transition", "maze_gym.evaluation.analysis.leaderboard"),
    "CachedState": (f"{MAZE}.levels.playable", f"{PACMAN}.levels.playable"),
    "Event": ("mazegen.core.rules", f"{PACMAN}.rules.transition", f"{SPARC}.rules.transition"),
    "Look": ("mazegen.rendering.tiles", f"{MAZE}.observation.grid", f"{PACMAN}.rendering.tiles"),
    "Observation": (
        f"{MAZE}.observation.grid",
        f"{PACMAN}.observation.planes",
        f"{SPARC}.observation.planes",
    ),
    "Outcome": ("mazegen.core.rules", f"{PACMAN}.rules.transition", f"{SPARC}.rules.transition"),
    "Places": (f"{PACMAN}.text.state_text", f"{SPARC}.text.state_text"),
    "Plane": (f"{PACMAN}.observation.planes", f"{SPARC}.observation.planes"),
    "Planes": (f"{PACMAN}.observation.planes", f"{SPARC}.observation.planes"),
    "State": ("mazegen.core.rules", f"{PACMAN}.rules.transition", f"{SPARC}.rules.transition"),
    "Symmetry": ("mazegen.core.symmetry", f"{SPARC}.rules.symmetry"),
}

# What still means two things, and why nobody has renamed it yet.
NOT_YET = {
    # Each world's generator raises its own.
    "GenerationFailed": ("mazegen.errors", f"{PACMAN}.generation.generator", f"{SPARC}.generation.generator"),
    # Both are the choices of an option ``--format``, each private to its command.
    "Format": ("maze_gym.cli.render", "maze_gym.cli.report"),
    # What OpenEnv and TRL each call an environment.
    "GameEnvironment": ("maze_gym.integrations.openenv", "maze_gym.integrations.trl"),
    # Kinds of symbols of a puzzle; kinds of players.
    "Kind": ("maze_gym.evaluation.analysis.contenders", f"{SPARC}.rules.puzzle"),
    # A board as arrays for the search, a board of Pacman as text, the columns of an exported chat.
    "Layout": ("mazegen.search.kernels", f"{PACMAN}.rules.layout", "maze_gym.integrations.chat_options"),
    # The wrapper asks for more than the suite's protocol of that name.
    "Measured": ("maze_gym.game", "maze_gym.wrappers.oracle_shaping"),
    # How far a data set, a search and a training run are.
    "Progress": ("mazegen.datasets.progress", f"{SPARC}.search.kernels", "maze_gym.training.run"),
    # What a model answered, in the loop and as an action of OpenEnv.
    "Reply": ("maze_gym.integrations.openenv", "maze_gym.llm.chat"),
    # The floor along a walk; what turns positions into actions.
    "Route": ("mazegen.generation.placement", "maze_gym.game"),
    # A row of a leaderboard; a row of an export.
    "Row": ("maze_gym.evaluation.analysis.leaderboard", "maze_gym.integrations.chat_data"),
    # What a maze file varies of the rules, as its format calls it; the protocol of a world's six verbs.
    "Rules": ("mazegen.core.parts", "maze_gym.rules"),
    # Where a search begins; a board to begin on.
    "Start": ("mazegen.search.proving", f"{PACMAN}.levels.sources"),
    # What the search of a board found; what sampled episodes of a run are like.
    "Survey": ("mazegen.search.proving", "maze_gym.evaluation.preflight"),
    # What a tile shows; what an observed plane tells apart.
    "Thing": ("mazegen.rendering.tiles", f"{SPARC}.observation.planes"),
    # What the editor says of a maze; what one rule says of a line.
    "Verdict": ("maze_gym.edit.verdict", f"{SPARC}.rules.constraints"),
}


def public_classes() -> dict[str, set[str]]:
    """The modules that define each public class at their top level."""
    found: dict[str, set[str]] = {}
    for package in PACKAGES:
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, set()).add(module)
    return found


def test_no_public_class_name_means_two_things() -> None:
    twice = {name: modules for name, modules in public_classes().items() if len(modules) > 1}
    listed = {name: set(modules) for name, modules in (GRAMMAR | NOT_YET).items()}
    new = {name: sorted(modules - listed.get(name, set())) for name, modules in twice.items()}
    assert not {name: modules for name, modules in new.items() if modules}, "rename these"


def test_the_list_of_exceptions_has_no_name_that_needs_none() -> None:
    found = public_classes()
    gone = {
        name: sorted(set(modules) - found.get(name, set())) for name, modules in (GRAMMAR | NOT_YET).items()
    }
    assert not {name: modules for name, modules in gone.items() if modules}, "take these from the list"
    assert not GRAMMAR.keys() & NOT_YET.keys()


def test_the_glossary_has_each_term_once_in_order() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    block = text.partition("```{glossary}\n")[2].partition("```\n")[0]
    terms = [term.strip("`").casefold() for term in re.findall(r"^(?! )(.+)$", block, re.MULTILINE)]
    assert len(terms) > 50
    assert terms == sorted(set(terms))
