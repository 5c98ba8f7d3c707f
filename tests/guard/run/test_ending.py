"""Skipped is not clean: a check of the guard counts as clean once its window was long enough to judge."""

import json
from pathlib import Path

import torch
from torch import nn

import firstlight as fl
from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import LIVE
from firstlight.guard.run import ending
from firstlight.records.report import CheckOutcome, Status, Subject, Timing
from firstlight.store import version_control
from firstlight.store.run_directory import here_hash


def outcomes(folder: Path, steps: int, ignore: tuple[str, ...] = ()) -> dict[str, CheckOutcome]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    guard = fl.guard(model, optimizer, directory=folder, capture=None, ignore=ignore)
    for _ in range(steps):
        optimizer.zero_grad()
        inputs = torch.randn(16, 4)
        (model(inputs) - inputs[:, :1]).square().mean().backward()
        optimizer.step()
    guard.close()
    assert guard.shield.broken == {}
    assert guard.events is not None
    report = ending.report_of(guard.events, Subject(kind="run", command=()), "", Timing(started="", seconds=0.0))
    assert {outcome.name for outcome in report.checks} == {c.name for c in CATALOGUE if c.needs in LIVE}
    return {outcome.name: outcome for outcome in report.checks}


def clean(found: dict[str, CheckOutcome]) -> set[str]:
    return {name for name, outcome in found.items() if outcome.status is Status.CLEAN}


def test_after_one_step_only_what_one_step_can_tell_is_clean(tmp_path: Path) -> None:
    found = outcomes(tmp_path, steps=1)

    assert clean(found) <= {"turns-nonfinite", "disk-runs-full"}
    assert "turns-nonfinite" in clean(found)
    assert found["nothing-learnt"].reason == "the run is shorter than the 400 steps it takes"
    assert all(outcome.reason for outcome in found.values() if outcome.status is Status.SKIPPED)


def test_windows_that_filled_are_clean_and_those_that_did_not_say_why(tmp_path: Path) -> None:
    found = outcomes(tmp_path, steps=150)

    assert {"loss-climbs", "loss-bounces", "gradients-pile-up", "rate-stays-zero"} <= clean(found)
    assert found["nothing-learnt"].status is Status.SKIPPED
    assert found["clip-always-engages"].status is Status.SKIPPED
    assert found["loss-scale-collapses"].reason == "the run is shorter than the 200 steps it takes"
    assert found["ranks-part"].reason == SINGLE


SINGLE = "the program is a single process, or its ranks were not compared often enough"


def test_a_check_that_was_left_out_is_not_clean(tmp_path: Path) -> None:
    found = outcomes(tmp_path, steps=150, ignore=("loss-climbs",))

    assert (found["loss-climbs"].status, found["loss-climbs"].reason) == (
        Status.SKIPPED,
        "left out, as the settings ask",
    )
    assert "loss-bounces" in clean(found)


def test_the_log_begins_with_what_the_run_came_from(tmp_path: Path) -> None:
    torch.manual_seed(123)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with fl.guard(model, optimizer, directory=tmp_path, capture=None) as guard:
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
    assert guard.events is not None
    start = json.loads(guard.events.read_text(encoding="utf-8").splitlines()[0])

    assert (start["phase"], start["seed"], start["cwd_hash"]) == ("run_start", 123, here_hash())
    assert start["git"] == version_control.commit(Path.cwd())
