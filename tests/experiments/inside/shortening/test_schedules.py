"""Schedules are stepped on to the end of the whole run, in copies, wherever its length is known."""

from typing import Any

import pytest
import torch
from tests.experiments.inside.shortening.test_rewriting import book, run

from firstlight.experiments.inside.shortening.schedules import Schedules, follow
from firstlight.records.declared import ScheduleTried
from firstlight.records.rehearsal import ScheduleBreaks

PROGRAM = """weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([weight], lr=1e-2)
schedule = torch.optim.lr_scheduler.SCHEDULE
for epoch in range(40):
    for batch in range(10):
        optimizer.step()
        stepped(7)
        BATCH
    EPOCH
"""


def played_out(monkeypatch: pytest.MonkeyPatch, schedule: str, place: str, code: str = "schedule.step()") -> list[Any]:
    kind = torch.optim.lr_scheduler.LRScheduler
    monkeypatch.setattr(kind, "step", kind.step)
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    source = PROGRAM.replace("SCHEDULE", schedule).replace(place, code).replace("BATCH", "").replace("EPOCH", "")
    run(source, seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line)]))
    return list(schedules.played_out())


@pytest.mark.parametrize(
    ("schedule", "place", "steps", "last"),
    [
        ("StepLR(optimizer, step_size=100)", "BATCH", 400, 1e-5),
        ("StepLR(optimizer, step_size=10)", "EPOCH", 40, 1e-5),
        ("LambdaLR(optimizer, lambda step: 1 - step / 40)", "EPOCH", 40, 1e-2 / 40),
    ],
)
def test_it_is_stepped_as_often_as_the_whole_program_will(
    monkeypatch: pytest.MonkeyPatch, schedule: str, place: str, steps: int, last: float
) -> None:
    (found,) = played_out(monkeypatch, schedule, place)

    assert isinstance(found, ScheduleTried)
    assert (found.steps, found.known_length) == (steps, True)
    assert found.rates[0] == pytest.approx(1e-2)
    assert found.rates[-1] == pytest.approx(last)


@pytest.mark.parametrize(("total", "breaks"), [(40, True), (300, False), (400, False)])
def test_one_that_raises_long_before_the_end_is_told(monkeypatch: pytest.MonkeyPatch, total: int, breaks: bool) -> None:
    """Where it raises only shortly before, the estimate may be at fault."""
    found = played_out(monkeypatch, f"OneCycleLR(optimizer, 1e-2, total_steps={total})", "BATCH")

    assert [one.expected for one in found if isinstance(one, ScheduleBreaks)] == [400] * breaks


@pytest.mark.parametrize("code", ["schedule.step()\n        if batch > 99: break", "pass"])
def test_nothing_is_said_where_the_length_is_open(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    assert played_out(monkeypatch, "StepLR(optimizer, step_size=10)", "BATCH", code) == []


def test_the_program_goes_on_with_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stepped on in a copy leaves the optimizer of the program as it is."""
    kind = torch.optim.lr_scheduler.LRScheduler
    monkeypatch.setattr(kind, "step", kind.step)
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    source = PROGRAM.replace("SCHEDULE", "ExponentialLR(optimizer, 0.5)").replace("EPOCH", "schedule.step()")
    found = run(source.replace("BATCH", ""), seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line)]))
    list(schedules.played_out())

    assert found["optimizer"].param_groups[0]["lr"] == pytest.approx(1e-2 * 0.5**2)
