"""Many mazes into a folder: the function ``generate_dataset``, and the command of the same name.

``python -m mazegen.generate_dataset --help`` is ``python -m mazegen --help`` by another name.
"""

from __future__ import annotations

from mazegen.__main__ import main
from mazegen.datasets.filling import generate_dataset

__all__ = ["generate_dataset"]

if __name__ == "__main__":
    raise SystemExit(main())
