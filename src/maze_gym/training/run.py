"""One training run: PPO over a vector env, tested on held-out levels, resumable to the bit."""

from __future__ import annotations

import json
import platform
import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from maze_gym._version import __version__
from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.storage.line_file import LineFile
from maze_gym.extras import require
from maze_gym.policies import sb3
from maze_gym.policies.encoding import FlatEncoding, MazeEncoding
from maze_gym.policies.networks import ACTIONS, EXTRACTOR, HEAD
from maze_gym.registration import world_of
from maze_gym.training import checkpoint, levels
from maze_gym.training.config import TrainConfig
from maze_gym.training.held_out import Score, score
from maze_gym.training.networks import network_for, policy_kwargs
from maze_gym.training.vec_env import EncodedVecEnv
from mazegen.core.bounded_files import json_of
from mazegen.core.file_errors import read_text
from mazegen.core.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

CONFIG, PROGRESS, TENSORBOARD = "config.json", "progress.jsonl", "tensorboard"
LEAST_SHARE = 0.02  # of learning rate and entropy bonus that is left at the end
PACKAGES = ("numpy", "gymnasium", "numba", "torch", "stable-baselines3", "sb3-contrib")


class Progress(NamedTuple):
    """One line of ``progress.jsonl``: how good the policy was when a part of the run began, and at its end.

    Attributes:
        steps: env steps so far.
        training_success: share of the last hundred training episodes that succeeded; None before the first.
        greedy: on held-out levels, always taking the most likely action.
        sampled: on the same levels, drawing actions.
        cpu_s: CPU seconds of training so far, tests not counted.
        wall_s: likewise by the clock on the wall.
    """

    steps: int
    training_success: float | None
    greedy: Score
    sampled: Score
    cpu_s: float
    wall_s: float

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(
            self._asdict() | {"greedy": self.greedy._asdict(), "sampled": self.sampled._asdict()}
        )

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Progress:
        """What ``to_json`` wrote, read by ``json``."""
        scores = {
            name: Score(**fields[name] | {"interval": tuple(fields[name]["interval"])})
            for name in ("greedy", "sampled")
        }
        return cls(**{**fields, **scores})


def train(
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    on_step: Callable[[int], None] | None = None,
) -> Progress:
    """Train a policy and leave everything about it in a folder.

    ``config.json`` has settings, hash, seeds and versions; ``progress.jsonl`` a line each time the policy was
    tested; ``policy.npz`` and ``policy.json`` the policy, for ``--policy sb3:DIR``; ``checkpoint.pt`` what
    ``resume`` needs. A run that was stopped and resumed ends in the same weights as one that was not: at
    each checkpoint all envs begin new episodes, of seeds that its number and the run's seed decide.

    Seeds the global generators of NumPy and PyTorch, and uses one thread of PyTorch.

    Args:
        config: the settings.
        out: a folder without a run in it, or with the one to resume.
        resume: go on from the last checkpoint in ``out``. A run that was stopped before its first one is
            begun anew, with ``resume`` and without.
        on_progress: called after each test.
        on_step: called with the number of steps after each step of the vector env.

    Returns:
        The last test; of a run to resume that has ended, the one that its ``progress.jsonl`` keeps.

    Raises:
        InvalidArgument: settings do not fit the world or the run to resume, or the folder is taken.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _Run(config, out, resume=resume, on_progress=on_progress, on_step=on_step).play()
    finally:
        torch.set_num_threads(threads)


class _Run:
    """The parts of a run that outlive its rollouts."""

    def __init__(
        self,
        config: TrainConfig,
        out: Path,
        *,
        resume: bool,
        on_progress: Callable[[Progress], None] | None,
        on_step: Callable[[int], None] | None,
    ) -> None:
        self.config, self.out = config, out
        self.on_progress, self.on_step = on_progress, on_step
        content = _to_resume(config, out, resume=resume)
        if config.log:
            require("tensorboard", "rl")
        self.vec = EncodedVecEnv(levels.training_envs(config), "flat" if config.network == "flat" else None)
        self.test = levels.test_envs(config)
        self.network = network_for(self.vec.encoding, config.network)
        self.model = _model(config, self.vec, self.network, out)
        self.part = 0 if content is None else content["part"]
        self.content = content
        self.clock = {"cpu_s": 0.0, "wall_s": 0.0} if content is None else dict(content["clock"])

    def play(self) -> Progress:
        """Train to the end."""
        self.out.mkdir(parents=True, exist_ok=True)
        if self.content is None:
            write_whole(self.out / PROGRESS, "")
            write_whole(self.out / CONFIG, json.dumps(self._description(), indent=2) + "\n")
        else:
            checkpoint.restore(self.content, self.model)
            self._forget_after(self.model.num_timesteps)
        try:
            left = self.config.steps - self.model.num_timesteps
            if left <= 0 and (last := self._last()) is not None:
                self._tell(last)
                return last
            if left > 0:
                self.model.learn(
                    left, _Parts(self), reset_num_timesteps=self.content is None, tb_log_name="ppo"
                )
            return self.end_part()
        finally:
            self.vec.close()
            self.test.close()

    def begin_part(self) -> None:
        """Begin new episodes everywhere; a resumed run begins here, as if it had never stopped."""
        model = self.model
        self.vec.seed_each(levels.episode_seeds(self.config.seed, self.part, self.config.envs))
        model._last_obs = self.vec.reset()  # noqa: SLF001 - the way of stable-baselines3's own callbacks
        model._last_episode_starts = np.ones(self.config.envs, np.bool_)  # noqa: SLF001 - likewise
        for buffer in (model.ep_info_buffer, model.ep_success_buffer):
            if buffer is not None:
                buffer.clear()
        if self.content is not None:
            checkpoint.restore_randomness(self.content)
            self.content = None
        self._began = time.process_time(), time.perf_counter()

    def end_part(self) -> Progress:
        """Test the policy, write down how good it is, and keep everything."""
        if hasattr(self, "_began"):
            self.clock["cpu_s"] += time.process_time() - self._began[0]
            self.clock["wall_s"] += time.perf_counter() - self._began[1]
        weights = self._weights()
        successes = self.model.ep_success_buffer
        now = Progress(
            steps=self.model.num_timesteps,
            training_success=float(np.mean(successes)) if successes else None,
            greedy=score(self.config, self.test, self.network, weights),
            sampled=score(self.config, self.test, self.network, weights, sampled=True),
            **self.clock,
        )
        with LineFile(self.out / PROGRESS) as file:
            file.append_text(now.to_json())
        sb3.save(self.out, self._trained(weights))
        self.part += 1
        checkpoint.save(self.out, self.model, self.config, self.part, self.clock)
        self._tell(now)
        return now

    def _tell(self, now: Progress) -> None:
        if self.on_progress is not None:
            self.on_progress(now)

    def _last(self) -> Progress | None:
        """The test that belongs to the checkpoint, for a run that has nothing left to train."""
        lines = [line for line in _lines(self.out / PROGRESS) if line["steps"] == self.model.num_timesteps]
        return Progress.from_fields(lines[-1]) if lines else None

    def _weights(self) -> dict[str, Any]:
        """What the policy needs to act; the value function is left out."""
        kept = (f"{EXTRACTOR}.", f"{HEAD}.", f"{ACTIONS}.")
        state = self.model.policy.state_dict()
        return {name: values.numpy().copy() for name, values in state.items() if name.startswith(kept)}

    def _trained(self, weights: dict[str, Any]) -> sb3.Trained:
        encoding = self.vec.encoding
        return sb3.Trained(
            world=world_of(self.config.env_id).id,
            network=self.network,
            encoding=encoding.kind,
            shape=encoding.shape if isinstance(encoding, MazeEncoding) else (0, 0),
            numbers=encoding.numbers if isinstance(encoding, FlatEncoding) else 0,
            entries=encoding.entries if isinstance(encoding, FlatEncoding) else None,
            masked=self.config.algorithm == "maskable-ppo",
            action_names=_action_names(self.config),
            weights=weights,
        )

    def _description(self) -> dict[str, Any]:
        return {
            "config": self.config.to_dict(),
            "config_hash": self.config.content_hash,
            "network": self.network,
            "parameters": sum(values.numel() for values in self.model.policy.parameters()),
            "held_out": levels.has_held_out(self.config),
            "seeds": {
                "run": self.config.seed,
                "training_episodes": "numpy.random.default_rng((run, number of the checkpoint))",
                "held_out_episodes": levels.HELD_OUT_SEED,
                "held_out_from_level": levels.HELD_OUT_FROM,
            },
            "version": __version__,
            "python": platform.python_version(),
            "packages": {name: version(name) for name in PACKAGES},
        }

    def _forget_after(self, steps: int) -> None:
        """Drop the lines of ``progress.jsonl`` that come again: those after the checkpoint."""
        path = self.out / PROGRESS
        kept = [line for line in _lines(path) if line["steps"] <= steps]
        write_whole(path, "".join(f"{json.dumps(line)}\n" for line in kept))


class _Parts(BaseCallback):
    """Cuts a run into parts, each of which begins with a test and a checkpoint."""

    def __init__(self, run: _Run) -> None:
        super().__init__()
        self._run = run
        self._next = run.model.num_timesteps

    def _on_step(self) -> bool:
        if self._run.on_step is not None:
            self._run.on_step(self.num_timesteps)
        return True

    def _on_rollout_start(self) -> None:
        run, config = self._run, self._run.config
        steps = run.model.num_timesteps
        if steps >= self._next:
            self._next = steps + config.eval_every
            if run.content is None:
                run.end_part()
            run.begin_part()
        left = max(1 - steps / config.steps, LEAST_SHARE)
        run.model.ent_coef = config.entropy * left


def _to_resume(config: TrainConfig, out: Path, *, resume: bool) -> dict[str, Any] | None:
    """The checkpoint to go on from; None where a run begins, or was stopped before it had one.

    Raises:
        InvalidArgument: settings do not fit the run to resume, there is none, or the folder is taken.
    """
    path = out / CONFIG
    has_checkpoint = (out / checkpoint.FILE).exists()
    if resume and (has_checkpoint or not path.exists()):
        return checkpoint.load(out, config)
    if has_checkpoint:
        msg = f"{out} already holds a run; resume it, choose another folder or remove it"
        raise InvalidArgument(msg)
    if not path.exists():
        return None
    before = _config_in(path)
    if any(line["steps"] for line in _lines(out / PROGRESS)):
        msg = f"{out} already holds a run, without its {checkpoint.FILE}; choose another folder or remove it"
        raise InvalidArgument(msg)
    if resume:
        checkpoint.refuse_others(path, config, before)
    return None


def _config_in(path: Path) -> TrainConfig:
    """The settings of a run; other programs have a ``config.json`` too, which is not to be written over."""
    try:
        return TrainConfig.from_dict(json_of(read_text(path), path.name)["config"])
    except OSError:
        raise  # which is told by the file it is of
    except Exception as error:
        msg = f"{path} is not of a training run; choose another folder"
        raise InvalidArgument(msg) from error


def _lines(path: Path) -> list[dict[str, Any]]:
    """The lines of ``progress.jsonl``, none where there is no such file."""
    text = read_text(path) if path.exists() else ""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        found = [json_of(line, f"line {number}") for number, line in enumerate(lines, 1)]
    except ValueError as error:
        msg = f"{path} is not what a training writes: {error}; choose another folder, or remove it"
        raise InvalidArgument(msg) from error
    for number, fields in enumerate(found, 1):
        if not isinstance(fields, dict) or not isinstance(fields.get("steps"), int):
            msg = f"{path}, line {number}: is no test of a training; choose another folder, or remove it"
            raise InvalidArgument(msg)
    return found


def _model(config: TrainConfig, vec: EncodedVecEnv, network: str, out: Path) -> PPO:
    kind: Any = PPO  # or the class of sb3-contrib, which is no child of it
    if config.algorithm == "maskable-ppo":
        from sb3_contrib import MaskablePPO

        kind = MaskablePPO
    model: PPO = kind(
        "MultiInputPolicy",
        vec,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        learning_rate=lambda left: config.learning_rate * max(left, LEAST_SHARE),
        ent_coef=config.entropy,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        policy_kwargs=policy_kwargs(vec.encoding, network, config.network_kwargs),
        tensorboard_log=str(out / TENSORBOARD) if config.log else None,
        seed=config.seed,
        device="cpu",
    )
    return model


def _action_names(config: TrainConfig) -> tuple[str, ...]:
    """Of the world; its class says them without being made."""
    from maze_gym.registration import resolve

    names: tuple[str, ...] = resolve(world_of(config.env_id).entry_point).action_names
    return tuple(names)
