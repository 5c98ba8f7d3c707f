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


KINDS = ("LRScheduler", "SequentialLR", "ChainedScheduler", "CosineAnnealingWarmRestarts")


@pytest.fixture(autouse=True)
def _torchs_own_steps_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KINDS:
        kind = getattr(torch.optim.lr_scheduler, name)
        monkeypatch.setattr(kind, "step", kind.step)
    base: Any = torch.optim.lr_scheduler.LRScheduler
    for name in ("__init__", "_initial_step"):
        monkeypatch.setattr(base, name, getattr(base, name))


def played_out(schedule: str, place: str, code: str = "schedule.step()") -> list[Any]:
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    source = PROGRAM.replace("SCHEDULE", schedule).replace(place, code).replace("BATCH", "").replace("EPOCH", "")
    run(source, seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line)]))
    return list(schedules.played_out())


HELD = "torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)"
DECAYS = "torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)"


@pytest.mark.parametrize(
    ("schedule", "place", "steps", "last"),
    [
        ("StepLR(optimizer, step_size=100)", "BATCH", 400, 1e-5),
        ("StepLR(optimizer, step_size=10)", "EPOCH", 40, 1e-5),
        ("LambdaLR(optimizer, lambda step: 1 - step / 40)", "EPOCH", 40, 1e-2 / 40),
        (f"SequentialLR(optimizer, [{HELD}, {DECAYS}], milestones=[30])", "EPOCH", 40, 1e-2 * 0.5**9),
        (f"ChainedScheduler([{HELD}, {DECAYS}])", "EPOCH", 40, 1e-2 * 0.5**39),
    ],
)
def test_it_is_stepped_as_often_as_the_whole_program_will(schedule: str, place: str, steps: int, last: float) -> None:
    (found,) = played_out(schedule, place)

    assert isinstance(found, ScheduleTried)
    assert (found.steps, found.known_length) == (steps, True)
    assert found.rates[0] == pytest.approx(1e-2)
    assert found.rates[-1] == pytest.approx(last)


@pytest.mark.parametrize(("total", "breaks"), [(40, True), (300, False), (400, False)])
def test_one_that_raises_long_before_the_end_is_told(total: int, breaks: bool) -> None:
    """Where it raises only shortly before, the estimate may be at fault."""
    found = played_out(f"OneCycleLR(optimizer, 1e-2, total_steps={total})", "BATCH")

    assert [one.expected for one in found if isinstance(one, ScheduleBreaks)] == [400] * breaks


def test_nothing_is_said_where_the_length_is_open() -> None:
    code = "schedule.step()\n        if batch > 99: break"

    assert played_out("StepLR(optimizer, step_size=10)", "BATCH", code) == []


def test_one_that_is_never_stepped_is_told() -> None:
    (found,) = played_out("LinearLR(optimizer, start_factor=0.1, total_iters=50)", "BATCH", "pass")

    assert (found.every, found.rates[0], max(found.rates)) == ("never", pytest.approx(1e-3), pytest.approx(1e-2))


RESTARTS = "CosineAnnealingWarmRestarts(optimizer, T_0=TIMES)"


def test_one_with_a_step_of_its_own_is_seen_to_step() -> None:
    """The rate of a run that ends in a trough is no reason to say that it never began."""
    (found,) = played_out(RESTARTS.replace("TIMES", "10"), "EPOCH")

    assert (found.every, found.steps) == ("step", 40)
    assert found.rates[-1] > 0.02 * found.rates[0]


@pytest.mark.parametrize("schedule", [RESTARTS.replace("TIMES", "2"), "StepLR(optimizer, step_size=10)"])
@pytest.mark.filterwarnings("ignore:The epoch parameter")
def test_one_that_is_told_the_time_is_left_to_the_programs_own_clock(schedule: str) -> None:
    assert played_out(schedule, "BATCH", "schedule.step(epoch + batch // 10)") == []


class Ramp(torch.optim.lr_scheduler.LRScheduler):
    """Sets the rates itself, as a user's own may."""

    def get_lr(self) -> list[Any]:
        return [base * min(1.0, (self.last_epoch + 1) / 100) for base in self.base_lrs]

    def step(self, epoch: int | None = None) -> None:
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate


@pytest.mark.parametrize(("code", "every"), [("schedule.step()", "step"), ("pass", "never")])
def test_a_class_of_the_users_own_is_followed_too(monkeypatch: pytest.MonkeyPatch, code: str, every: str) -> None:
    monkeypatch.setattr(Ramp, "step", Ramp.step)
    monkeypatch.setattr(torch.optim.lr_scheduler, "Ramp", Ramp, raising=False)
    (found,) = played_out("Ramp(optimizer)", "BATCH", code)

    assert found.every == every
    assert max(found.rates) == pytest.approx(1e-2)


def test_one_that_is_moved_without_a_step_is_not_idle() -> None:
    warms_up = "LinearLR(optimizer, start_factor=0.1, total_iters=50)"

    assert played_out(warms_up, "BATCH", "schedule.last_epoch = epoch + 1") == []


def test_the_program_goes_on_with_its_own() -> None:
    """What is stepped on in a copy leaves the optimizer of the program as it is."""
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    source = PROGRAM.replace("SCHEDULE", "ExponentialLR(optimizer, 0.5)").replace("EPOCH", "schedule.step()")
    found = run(source.replace("BATCH", ""), seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line)]))
    list(schedules.played_out())

    assert found["optimizer"].param_groups[0]["lr"] == pytest.approx(1e-2 * 0.5**2)
