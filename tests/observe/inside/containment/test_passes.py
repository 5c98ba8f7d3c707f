import sys
from pathlib import Path

import pytest

from firstlight.observe.inside import containment


def test_caches_and_the_interpreter_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", "/models/hub")
    passes = containment.default_passes()
    assert {Path("/models/hub"), Path.home() / ".cache", Path(sys.prefix)} <= set(passes)
