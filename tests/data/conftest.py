"""Small tables, made as users make them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest


@pytest.fixture
def table() -> Any:
    """A thousand rows in which `a` and `b` decide `y`."""
    draw = np.random.default_rng(0)
    a, b, noise = draw.normal(size=(3, 1000))
    y = np.where(a + b + 0.3 * noise > 0, "yes", "no")
    return pa.table({"a": a, "b": b, "kind": draw.choice(["x", "z"], 1000), "y": y})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
