"""Evaluate some policies, keep the run, and make a page of it on which every episode can be played back.

python examples/06_evaluate_and_report.py --policy random --policy openai:MODEL --out runs/my_models
"""

import argparse
from pathlib import Path

from maze_gym import evaluation
from maze_gym.evaluation.report import examine, page
from maze_gym.evaluation.storage.run_folder import RunFolder
from maze_gym.evaluation.storage.run_reading import read_run


def main() -> None:
    """Play, write each episode down as it ends, summarise, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--policy", action="append", help="repeat for several; greedy and oracle by default")
    parser.add_argument("--levels", default="smoke", help="a file, folder or suite")
    parser.add_argument("--out", type=Path, default=Path("runs/example"))
    options = parser.parse_args()

    plan = evaluation.make_plan(options.policy or ["greedy", "oracle"], levels=options.levels)
    with RunFolder(options.out, plan, resume=options.out.exists()) as folder:  # interrupted? call it again
        for played in evaluation.play_run(plan, done=folder.done):
            folder.add(played)
        summaries = [evaluation.summarise(name, folder.records(name)) for name in plan.policies]
        folder.finish(summaries)
    for summary in summaries:
        interval = "-" if summary.interval is None else "{:.0%} - {:.0%}".format(*summary.interval)
        print(f"{summary.policy}: {summary.successes} of {summary.episodes}, 95 % interval {interval}")

    report = options.out / "report.html"
    report.write_text(page(examine([read_run(options.out)])), encoding="utf-8")
    print(f"{report}: {report.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
