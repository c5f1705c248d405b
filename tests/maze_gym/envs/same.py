"""Deep equality of what envs return."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_equal(ours: Any, theirs: Any, path: str = "") -> None:
    """Equal in value, type, dtype and shape, however deep."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), path
        for key in theirs:
            assert_equal(ours[key], theirs[key], f"{path}/{key}")
    elif isinstance(theirs, list):
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(one, other, f"{path}[{index}]")
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert (type(ours), ours.dtype, ours.shape) == (np.ndarray, object, theirs.shape), path
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(one, other, f"{path}[{index}]")
    elif isinstance(theirs, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), path
        assert np.array_equal(ours, theirs), (path, ours, theirs)
    else:
        assert type(ours) is type(theirs), (path, ours, theirs)
        assert ours == theirs, (path, ours, theirs)
