"""Every check catches its failing example and leaves its healthy twin alone, through the real command."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import READ_FROM_SOURCE

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
READ = {check.name for check in CATALOGUE if check.needs in READ_FROM_SOURCE}
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if (path / "fails.py").exists() and path.name not in READ)


@pytest.mark.parametrize("name", NAMES)
def test_the_failing_example_is_caught(check: Callable[..., Any], name: str) -> None:
    checked = check((EXAMPLES / name / "fails.py").read_text(encoding="utf-8"))
    loud = [finding["name"] for finding in checked.report["findings"] if finding["severity"] != "note"]
    assert loud == [name]
    assert checked.finding(name)["where"]["file"] == "train.py"


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_twin_is_clean(check: Callable[..., Any], name: str) -> None:
    checked = check((EXAMPLES / name / "healthy.py").read_text(encoding="utf-8"))
    assert (checked.report["verdict"], checked.loud()) == ("clean", [])


def test_there_are_examples() -> None:
    assert len(NAMES) > 20
