"""Two processes under `firstlight run`: weights that part are told, weights that are averaged are not."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "ranks-part"


def flags(program: str, folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "firstlight", "run", "--no-check", str(EXAMPLES / program)]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=300)
    (events,) = folder.glob(".firstlight/runs/*/events.ndjson")
    found = [json.loads(line) for line in events.read_text().splitlines()]
    assert {event["rank"] for event in found if event["phase"] == "step"} == {0, 1}, done.stderr
    return [event for event in found if event["phase"] == "finding"]


@pytest.mark.timeout(300)
def test_weights_that_part_are_told_once_by_rank_0(tmp_path: Path) -> None:
    (flag,) = flags("fails.py", tmp_path)

    assert (flag["rule_id"], flag["rank"]) == ("FL970", 0)
    assert ".bias` differs between 2 ranks" in flag["message"]


@pytest.mark.timeout(300)
def test_averaged_weights_are_left_alone(tmp_path: Path) -> None:
    assert flags("healthy.py", tmp_path) == []
