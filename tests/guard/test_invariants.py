"""The user's own rules, held against the real run."""

import json
from pathlib import Path

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.errors import UsageError
from firstlight.guard.attach import Guard


def trained(folder: Path, *invariants: fl.Invariant | dict[str, str], steps: int = 30, grows: bool = False) -> Guard:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Softmax(dim=1), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with fl.guard(model, optimizer, directory=folder, every=5, capture=None, invariants=invariants) as guard:
        for step in range(steps):
            scale = 1000.0 if grows and step >= 12 else 1.0
            optimizer.zero_grad()
            (model(torch.randn(8, 4)).mean() * scale).backward()
            optimizer.step()
    assert guard.shield.broken == {}
    return guard


def test_a_broken_one_is_one_flag_with_the_step_it_broke_at(tmp_path: Path) -> None:
    rule = fl.Invariant(name="small loss", on="loss", check="abs(value) < 5", severity="warning")
    guard = trained(tmp_path, rule, grows=True)

    (trip,) = [trip for trip in guard.trips if trip.finding.name == "invariant-broken"]
    assert "at step 15 " in trip.finding.saw
    assert (trip.step, trip.finding.where.step) == (15, 15)  # the artifact is named after it
    assert trip.finding.severity.value == "warning"


def test_those_that_hold_are_quiet_and_logged(tmp_path: Path) -> None:
    rules = (
        {"name": "probabilities", "on": "1", "check": "min >= 0 and close(row_sum_high, 1, 1e-3)"},
        {"name": "weights", "on": "2.weight", "check": "max < 100"},
        {"name": "out", "on": "output", "check": "finite and last == 2"},
    )
    guard = trained(tmp_path, *rules)

    assert guard.trips == []
    assert guard.events is not None
    lines = [json.loads(line) for line in guard.events.read_text().splitlines()]
    assert {line["name"] for line in lines if line["phase"] == "invariant" and line["ok"]} == {
        "probabilities",
        "weights",
        "out",
    }


def test_each_broken_rule_is_told_and_a_missing_module_too(tmp_path: Path) -> None:
    guard = trained(
        tmp_path,
        fl.Invariant(name="one", on="0", check="max < -1"),
        fl.Invariant(name="two", on="1", check="max < 0"),
        fl.Invariant(name="three", on="nowhere", check="finite"),
    )

    told = [trip.finding.saw for trip in guard.trips]
    assert len(told) == 3
    assert any("`three` cannot be evaluated" in saw for saw in told)


def test_a_rule_that_is_no_comparison_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not understood"):
        trained(tmp_path, {"name": "x", "on": "0", "check": "open('a')"})
