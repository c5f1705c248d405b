"""``maze-gym replay RECORD``: execute a recorded run again and compare every state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DIFFERS = 1


def replay(
    file: Annotated[
        Path,
        typer.Argument(metavar="RECORD", help="transcripts.jsonl of a run, or any file of such records."),
    ],
) -> None:
    """Execute recorded runs again and check that every state and event is the recorded one.

    Example: maze-gym replay runs/first/transcripts.jsonl
    """
    from maze_gym.errors import InvalidArgument
    from maze_gym.evaluation.transcript import RunRecord
    from maze_gym.evaluation.transcript import replay as replay_record
    from maze_gym.llm.untrusted import shown

    lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    if not lines:
        msg = f"{file} holds no record"
        raise InvalidArgument(msg)
    records = [RunRecord.from_json(line) for line in lines]
    differing = 0
    for record in records:
        result = replay_record(record)
        episode = record.episode
        title = f"{episode.level_id} | {episode.policy} | {episode.end_reason} after {episode.steps} steps"
        verdict = result.mismatch or f"all {result.states} states are as recorded"
        differing += bool(result.mismatch)
        typer.echo(f"{shown(title, 200)}: {shown(verdict, 400)}")
    if differing:
        typer.echo(f"{differing} of {len(records)} runs differ from their records", err=True)
        raise typer.Exit(DIFFERS)
