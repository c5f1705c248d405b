"""Who is compared: one policy of one run, under a label that tells it from the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maze_gym.errors import InvalidArgument
from maze_gym.evaluation.analysis.evidence import Evidence
from maze_gym.game import Disguise
from maze_gym.policies import POLICIES
from maze_gym.policies.chats import is_chat_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from maze_gym.evaluation.storage.run_reading import Run

MODES = ("prompting", "observation", "context_window", "querying")
PERSON = "human"  # how recordings of ``maze-gym play`` name their policy, with "+hint" and the like


class Kind(StrEnum):
    """What sort of player somebody is."""

    PERSON = "person"
    MODEL = "language model"
    LEARNED = "trained policy"
    REFERENCE = "reference"  # random, greedy, search, oracle: what others are measured by


@dataclass(frozen=True)
class Contender:
    """One policy of one run.

    Attributes:
        label: tells it from all others of a comparison.
        policy: its name.
        kind: what sort of player it is.
        run: name of the run's folder, or path of a file.
        config: of the run; empty for a recording.
        episodes: all of them that have ended, disguised ones included, in the order of their indices.
        indices: their numbers within the run.
        planned: how many there should be.
    """

    label: str
    policy: str
    kind: Kind
    run: str
    config: Mapping[str, Any]
    episodes: tuple[Evidence, ...]
    indices: tuple[int, ...]
    planned: int

    @property
    def plain(self) -> tuple[Evidence, ...]:
        """The episodes on levels as they are."""
        return tuple(each for each in self.episodes if not each.is_disguised)

    def disguised(self, kind: Disguise) -> tuple[Evidence, ...]:
        """The episodes on levels in one disguise."""
        return tuple(each for each in self.episodes if Disguise.of(each.record.level_id)[1] == kind)


def contenders(runs: Sequence[Run]) -> list[Contender]:
    """Every policy of every run, in order; its episodes without diagnoses.

    A label is the policy's name, with the run's where two runs have a policy of that name.

    Raises:
        InvalidArgument: a run is there twice: whoever is compared with itself is found to be no better.
    """
    for path, times in Counter(run.path.resolve() for run in runs).items():
        if times > 1:
            msg = f"{path} is named {times} times; name each run once"
            raise InvalidArgument(msg)
    names = Counter(policy for run in runs for policy in run.policies)
    folders = folder_names(runs)
    found = []
    for run, folder in zip(runs, folders, strict=True):
        for policy in run.policies:
            modes = _modes(run, policy)
            outcomes = [each for each in run.episodes if each.episode.policy == policy]
            found.append(
                Contender(
                    label=policy if names[policy] == 1 else f"{policy} @ {folder}",
                    policy=policy,
                    kind=kind_of(policy, is_model=policy in run.models),
                    run=folder,
                    config=run.config,
                    episodes=tuple(Evidence(each.episode, tags={**each.tags, **modes}) for each in outcomes),
                    indices=tuple(each.index for each in outcomes),
                    planned=int(run.config["episodes"]),
                )
            )
    return found


def _modes(run: Run, policy: str) -> dict[str, str]:
    """How a language model was asked; nothing for other policies, on which it has no influence."""
    experiment = run.config.get("experiment")
    if policy not in run.models or not experiment:
        return {}
    return {name: str(experiment[name]) for name in MODES if name in experiment}


def folder_names(runs: Sequence[Run]) -> list[str]:
    """Names of the runs' folders: of several alike with as much of the path as tells them apart."""
    paths = [run.path.resolve() for run in runs]
    names = [path.name for path in paths]
    for length in range(2, max((len(path.parts) for path in paths), default=0) + 1):
        alike = Counter(names)
        names = [
            Path(*path.parts[-length:]).as_posix() if alike[name] > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
    return names


def kind_of(policy: str, *, is_model: bool = False) -> Kind:
    """What sort of player a policy of this name is."""
    if policy.partition("+")[0] == PERSON:
        return Kind.PERSON
    if is_model or is_chat_name(policy) or policy.endswith("-chat"):
        return Kind.MODEL
    return Kind.REFERENCE if policy in POLICIES else Kind.LEARNED


def outcomes_by_level(episodes: Iterable[Evidence]) -> dict[Hashable, list[bool]]:
    """Successes and failures on each level, by its content; unscored episodes are left out."""
    found: dict[Hashable, list[bool]] = {}
    for each in episodes:
        if each.record.success is not None:
            found.setdefault(each.cluster, []).append(each.record.success)
    return found
