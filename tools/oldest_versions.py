"""Print the lower bounds of pyproject.toml as a constraints file.

``gymnasium>=1.2,<2`` gives ``gymnasium==1.2.*``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    """Print one line for each dependency of the package itself."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        name, bound = re.match(r"([\w.-]+)>=([\d.]+)", requirement).groups()  # type: ignore[union-attr]  # ours all match
        print(f"{name}=={bound}.*")


if __name__ == "__main__":
    main()
