"""Build the bundled suites ``core`` (60 levels) and ``smoke`` (10) to the same bytes every time.

``python tools/build_suites.py`` writes them; ``--check`` compares what is there with what would be
written and says what differs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from mazegen import codec
from mazegen.core.randomness import derive_seed
from mazegen.core.symmetry import symmetry_hash
from mazegen.generation.orchestrator import generate
from mazegen.generation.spec import NO_CHAIN, MazeGenSpec, Topology
from mazegen.generation.tiers import TIERS, sample_spec
from mazegen.validation.difficulty import measure
from mazegen.validation.validator import recheck

SUITES = Path(__file__).parents[1] / "src" / "maze_gym" / "suites"
LEVELS_PER_TIER = {"core": 12, "smoke": 2}
TOPOLOGIES = list(Topology)


def level_spec(suite: str, tier: int, number: int) -> MazeGenSpec:
    """The spec of one level: topologies and chains in turn, everything else drawn from the tier."""
    place = number + list(TIERS).index(tier) * LEVELS_PER_TIER[suite]
    rng = np.random.default_rng((list(LEVELS_PER_TIER).index(suite), tier, number))
    spec = sample_spec(rng, tier, topology=TOPOLOGIES[place % len(TOPOLOGIES)])
    chains = ["".join(steps) for steps in itertools.product("ks", repeat=len(spec.steps))]
    return replace(spec, chain=chains[number * 5 % len(chains)] or NO_CHAIN)


def build(suite: str) -> dict[str, str]:
    """Text of every file of a suite, by name."""
    files: dict[str, str] = {}
    rows = []
    seen: set[str] = set()
    for tier in TIERS:
        for number in range(LEVELS_PER_TIER[suite]):
            spec = level_spec(suite, tier, number)
            maze = generate(spec, derive_seed(suite, tier, number))
            maze = replace(maze, level_id=f"{suite}-{tier}-{number + 1:02d}-{spec.name}")
            if not recheck(maze).passed or symmetry_hash(maze) in seen:
                msg = f"{maze.level_id} is not fit for a suite"
                raise SystemExit(msg)
            seen.add(symmetry_hash(maze))
            name = f"{maze.level_id}.json"
            files[name] = codec.dumps(maze)
            rows.append(
                {
                    "file": name,
                    "level_id": maze.level_id,
                    "content_hash": maze.content_hash,
                    "tier": tier,
                    "topology": str(spec.topology),
                    "chain": spec.chain,
                    **measure(maze).to_dict(),
                }
            )
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    files["manifest.json"] = f'{{\n  "suite": {json.dumps(suite)},\n  "levels": [\n{lines}\n  ]\n}}\n'
    return files


def differences(folder: Path, files: dict[str, str]) -> list[str]:
    """Names of files that are missing, that differ, or that do not belong there."""
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in there.keys() | files.keys() if there.get(name) != files.get(name))


def main() -> int:
    """Build or check both suites."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    parser.add_argument("--root", type=Path, default=SUITES, help="folder that holds the suites")
    options = parser.parse_args()
    stale = []
    for suite in LEVELS_PER_TIER:
        files, folder = build(suite), options.root / suite
        changed = differences(folder, files)
        stale += [f"{suite}/{name}" for name in changed]
        if not options.check:
            folder.mkdir(parents=True, exist_ok=True)
            for name in changed:
                if name in files:
                    (folder / name).write_text(files[name], encoding="utf-8")
                else:
                    (folder / name).unlink()
    print(f"{len(stale)} files {'differ' if options.check else 'written'}", *stale[:20], sep="\n  ")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
