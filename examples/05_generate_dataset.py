"""A data set of mazes, each with the proof that it is solvable and needs every mechanism in it.

python examples/05_generate_dataset.py --count 10000 --workers 2 --out data/key_then_switch
"""

import argparse
import json
from pathlib import Path

from mazegen import codec
from mazegen.generate_dataset import generate_dataset
from mazegen.generation.spec import Distractors, MazeGenSpec, Topology
from mazegen.validation import validator


def main() -> None:
    """Generate, then prove one maze again from its file alone."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("data/key_then_switch"))
    options = parser.parse_args()

    # A key and its door, then behind that door a switch and its gate; one key that fits nothing.
    spec = MazeGenSpec(Topology.DENSE_MAZE, "ks", rows=11, cols=11, distractors=Distractors(wrong_keys=1))
    done = generate_dataset(
        options.out, options.count, spec=spec, seed=options.seed, workers=options.workers
    )  # interrupted? the same call goes on where it stopped
    manifest = json.loads((options.out / "manifest.json").read_text(encoding="utf-8"))
    print(f"{done.done} mazes, {done.duplicates} duplicates dropped, splits {manifest['splits']}")

    first = manifest["levels"][0]
    with (options.out / first["file"]).open(encoding="utf-8") as shard:
        maze = codec.loads(shard.readlines()[first["line"]])
    report = validator.validate(maze)
    print(f"{maze.level_id}: {len(report.checks)} checks, {'valid' if report.passed else report.failed}")


if __name__ == "__main__":
    main()
