"""``maze-gym replay RECORD``: execute a recorded run again and compare every state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maze_gym.cli.console import say, warn

DIFFERS = 1


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="RECORD",
            help="The folder of a run, its transcripts.jsonl, or any file of such records.",
        ),
    ],
) -> None:
    """Execute recorded runs again and check that every state, event, reward and end is the recorded one.

    Example: maze-gym replay runs/first
    """
    from maze_gym.errors import InvalidArgument
    from maze_gym.evaluation.storage.run_reading import transcripts_at
    from maze_gym.evaluation.transcript import Transcript
    from maze_gym.evaluation.transcript import replay as replay_record
    from maze_gym.llm.untrusted import shown
    from mazegen.core.bounded_files import lines_in
    from mazegen.core.file_errors import not_text

    file = transcripts_at(file)
    records = differing = 0
    for number, line in lines_in(file):
        if not line.strip():
            continue
        try:
            record = Transcript.from_json(line.decode("utf-8"))
            result = replay_record(record)
        except (InvalidArgument, UnicodeDecodeError) as error:  # what stands above it has been told
            words = not_text(error) if isinstance(error, UnicodeDecodeError) else str(error)
            msg = f"{file}, line {number}: {shown(' '.join(words.split()), 400)}"
            raise InvalidArgument(msg) from error
        episode = record.episode
        title = f"{episode.level_id} | {episode.policy} | {episode.end_reason} after {episode.steps} steps"
        verdict = result.mismatch or f"all {result.states} states are as recorded"
        records += 1
        differing += bool(result.mismatch)
        say(f"{shown(title, 2_000)}: {shown(verdict, 2_000)}", hang=2)
    if not records:
        msg = f"{file} holds no record; a run keeps them of language models alone"
        raise InvalidArgument(msg)
    if differing:
        warn(f"{differing} of {records} runs differ from their records")
        raise typer.Exit(DIFFERS)
