"""The tests of one framework in a virtual environment of its own, without any network.

``python tools/check_integrations.py verifiers|inspect|trl|openenv VENV`` makes the environment if it is not
there, installs maze-gym with the extra of that name, and runs its tests against servers on loopback. Each has
an environment of its own: verifiers and openenv cannot be installed together, and none is small.
Where the system allows it, the tests run in a network namespace that holds nothing but loopback.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "maze_gym" / "integrations"


class Framework(NamedTuple):
    """What one of them needs.

    Attributes:
        tests: files under ``TESTS``.
        first: requirements that are installed before anything else.
        packages: folders that are installed beside maze-gym.
    """

    tests: tuple[str, ...]
    first: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


FRAMEWORKS = {
    "verifiers": Framework(
        ("test_verifiers.py",),
        packages=("environments/maze_nlu", "environments/pacman_array", "environments/spatial_gym"),
    ),
    "inspect": Framework(("test_inspect.py",)),
    # A CPU build of PyTorch first, else gigabytes of CUDA follow.
    "trl": Framework(("test_trl.py", "test_chat_data.py"), first=("torch==2.13.0",)),
    "openenv": Framework(("test_openenv.py",)),
}
# "$@" is the command; loopback exists in a new namespace but is down.
OFFLINE = ("unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def main() -> None:
    """Make, install, run; the exit code is that of the tests."""
    if len(sys.argv) != 3 or sys.argv[1] not in FRAMEWORKS:  # noqa: PLR2004 - which, and where
        sys.exit(f"usage: python tools/check_integrations.py {'|'.join(FRAMEWORKS)} VENV")
    name, folder = sys.argv[1], Path(sys.argv[2])
    framework = FRAMEWORKS[name]
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    if framework.first:
        subprocess.run([*pip, *framework.first], check=True)
    beside = [word for package in framework.packages for word in ("-e", str(ROOT / package))]
    subprocess.run([*pip, "-e", f"{ROOT}[dev,{name}]", *beside], check=True)
    files = [str(TESTS / each) for each in framework.tests]
    # "-rs": a test that skips here is one that never runs.
    tests = [str(python), "-m", "pytest", "-q", "-rs", "-n0", "-p", "no:cacheprovider", *files]
    offline = _offline()
    print(
        "without a network" if offline else "no network namespaces here: the tests see the network",
        flush=True,
    )
    sys.exit(subprocess.run([*offline, *tests], cwd=ROOT, check=False).returncode)


def _offline() -> tuple[str, ...]:
    """The words before a command that take the network away; none where that is not possible."""
    if not all(map(shutil.which, ("unshare", "ip"))):
        return ()
    tried = subprocess.run([*OFFLINE, "true"], capture_output=True, check=False)
    return OFFLINE if tried.returncode == 0 else ()


if __name__ == "__main__":
    main()
