"""In a clean environment: the wheel holds the two packages and their data, and every registered id plays.

``python tools/check_wheel.py WHEEL``, from any folder but the sources.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import gymnasium as gym

import maze_gym
import mazegen
from maze_gym import registration, suites
from mazegen import codec

PACKAGES = {"maze_gym", "mazegen"}


def main() -> None:
    """Check the wheel named on the command line against what is installed."""
    names = zipfile.ZipFile(sys.argv[1]).namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    if top != PACKAGES:
        sys.exit(f"the wheel holds {sorted(top)}, expected {sorted(PACKAGES)}")
    for package in (maze_gym, mazegen):
        folder = Path(str(package.__file__)).parent
        if "site-packages" not in folder.parts:
            sys.exit(f"{package.__name__} comes from {folder}, not from the wheel")
        if not (folder / "py.typed").exists():
            sys.exit(f"{package.__name__} lacks py.typed")
    if codec.schema()["$schema"] != "https://json-schema.org/draft/2020-12/schema":
        sys.exit("the JSON Schema is not the one that was published")
    levels = sum(len(suites.load(suite)) for suite in suites.names())
    ids = [world.id for world in registration.WORLDS] + [preset.id for preset in registration.PRESETS]
    for env_id in ids:
        env = gym.make(env_id)
        env.reset(seed=0)
        env.step(env.action_space.sample())
        env.close()
    print(f"wheel {maze_gym.__version__}: {len(ids)} ids, {levels} bundled levels")


if __name__ == "__main__":
    main()
