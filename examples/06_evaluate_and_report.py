"""Evaluate some policies, keep the run, and make a page of it on which every episode can be played back.

python examples/06_evaluate_and_report.py --policy random --policy openai:MODEL --out runs/my_models
"""

import argparse
from pathlib import Path

import maze_gym
from maze_gym.evaluation.report import examine, page
from maze_gym.evaluation.storage.run_reading import read_run


def main() -> None:
    """Play, keep the run in a folder, show its table, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", action="append", help="repeat for several; greedy and oracle by default")
    parser.add_argument("--levels", default="smoke", help="a file, folder or suite")
    parser.add_argument("--out", type=Path, default=Path("runs/example"))
    options = parser.parse_args()

    policies = options.policy or ["greedy", "oracle"]
    result = maze_gym.evaluate(policies, levels=options.levels, out=options.out, resume=True)
    print(result)  # interrupted before? the same call goes on

    report = options.out / "report.html"
    report.write_text(page(examine([read_run(options.out)])), encoding="utf-8")
    print(f"{report}: {report.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
