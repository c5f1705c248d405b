"""Evaluation: the one episode loop, runs over levels, and their numbers."""

from maze_gym.ending import EndReason
from maze_gym.evaluation.analysis.metrics import Summary, summarise, wilson_interval
from maze_gym.evaluation.episode import EpisodeRecord, run_episode
from maze_gym.evaluation.plan import EvalPlan, episode_seed, make_plan
from maze_gym.evaluation.result_table import EvaluationResult
from maze_gym.evaluation.run import evaluate, play, play_run
from maze_gym.evaluation.runner import ExperimentRunner, build_runner
from maze_gym.evaluation.transcript import Replay, Transcript, TranscriptRecorder, replay

__all__ = [
    "EndReason",
    "EpisodeRecord",
    "EvalPlan",
    "EvaluationResult",
    "ExperimentRunner",
    "Replay",
    "Summary",
    "Transcript",
    "TranscriptRecorder",
    "build_runner",
    "episode_seed",
    "evaluate",
    "make_plan",
    "play",
    "play_run",
    "replay",
    "run_episode",
    "summarise",
    "wilson_interval",
]
