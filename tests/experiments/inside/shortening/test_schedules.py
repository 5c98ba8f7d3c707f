"""Schedules are stepped on to the end of the whole run, in copies, wherever its length is known."""

from typing import Any

import pytest
import torch
from tests.experiments.inside.shortening.test_rewriting import book, run

from firstlight.experiments.inside.shortening.schedules import Schedules, follow
from firstlight.records.declared import ScheduleTried
from firstlight.records.rehearsal import ScheduleAhead, ScheduleBreaks

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


def ahead(schedule: str, place: str, code: str = "schedule.step()") -> ScheduleAhead:
    (found,) = [one for one in played_out(schedule, place, code) if isinstance(one, ScheduleAhead)]
    return found


HELD = "torch.optim.lr_scheduler.ConstantLR(optimizer, factor=1.0)"
RESTARTS = "CosineAnnealingWarmRestarts(optimizer, T_0=TIMES)"
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
    (found,) = [one for one in played_out(schedule, place) if isinstance(one, ScheduleTried)]

    assert (found.steps, found.known_length) == (steps, True)
    assert found.rates[0] == pytest.approx(1e-2)
    assert found.rates[-1] == pytest.approx(last)


@pytest.mark.parametrize(("total", "breaks"), [(40, True), (300, False), (400, False)])
def test_one_that_raises_long_before_the_end_is_told(total: int, breaks: bool) -> None:
    """Where it raises only shortly before, the estimate may be at fault."""
    found = played_out(f"OneCycleLR(optimizer, 1e-2, total_steps={total})", "BATCH")

    assert [one.expected for one in found if isinstance(one, ScheduleBreaks)] == [400] * breaks


def test_only_what_holds_for_any_length_is_said_where_it_is_open() -> None:
    code = "schedule.step()\n        if batch > 99: break"

    (found,) = played_out("StepLR(optimizer, step_size=10)", "BATCH", code)

    assert isinstance(found, ScheduleAhead)
    assert (found.ticks, found.certain) == (400, False)


@pytest.mark.parametrize(
    ("schedule", "place", "plan"),
    [
        ("OneCycleLR(optimizer, 1e-2, total_steps=400)", "EPOCH", (40, 1e-2, 400, 0)),
        ("OneCycleLR(optimizer, 1e-2, total_steps=420)", "BATCH", (400, 1e-2, 420, 0)),
        ("CosineAnnealingLR(optimizer, 400)", "EPOCH", (40, 1e-2, 400, 0)),
        ("CosineAnnealingLR(optimizer, 40)", "BATCH", (400, 1e-2, 40, 5)),
        ("MultiStepLR(optimizer, [10, 20])", "BATCH", (400, 1e-2, 20, 0)),
        ("LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 300))", "EPOCH", (40, 1e-2, 296, 0)),
        ("LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3000))", "EPOCH", (40, 1e-2, 2969, 0)),
        ("ExponentialLR(optimizer, 1.001)", "BATCH", (400, None, None, 0)),
        ("ExponentialLR(optimizer, 0.9999)", "BATCH", (400, 1e-2, None, 0)),
    ],
)
def test_the_run_is_held_against_the_plan(schedule: str, place: str, plan: tuple[Any, ...]) -> None:
    found = ahead(schedule, place)

    assert found.steps == 400
    assert (found.ticks, pytest.approx(found.peak), found.length, found.swings) == plan


def test_one_that_is_told_where_it_is_and_goes_on_by_one_has_a_number_of_steps() -> None:
    assert ahead(RESTARTS.replace("TIMES", "10"), "EPOCH", "schedule.step(epoch + 1)").ticks == 40


def test_what_is_done_in_the_last_round_is_done_once_an_epoch() -> None:
    code = "if batch == 2: schedule.step()"

    assert ahead("CosineAnnealingLR(optimizer, 400)", "BATCH", code).ticks == 40


def test_loops_around_its_making_begin_it_anew() -> None:
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    lines = (
        PROGRAM.replace("SCHEDULE", "StepLR(optimizer, 10)").replace("BATCH", "").replace("EPOCH", "schedule.step()")
    )
    source = "for fold in range(50):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    run(source, seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line + 1)]))

    assert {one.ticks for one in schedules.played_out() if isinstance(one, ScheduleAhead)} == {40}


def test_one_that_is_never_stepped_is_told() -> None:
    (found,) = played_out("LinearLR(optimizer, start_factor=0.1, total_iters=50)", "BATCH", "pass")

    assert (found.every, found.rates[0], max(found.rates)) == ("never", pytest.approx(1e-3), pytest.approx(1e-2))


def test_one_with_a_step_of_its_own_is_seen_to_step() -> None:
    """The rate of a run that ends in a trough is no reason to say that it never began."""
    (found,) = [one for one in played_out(RESTARTS.replace("TIMES", "10"), "EPOCH") if isinstance(one, ScheduleTried)]

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
    (found,) = [one for one in played_out("Ramp(optimizer)", "BATCH", code) if isinstance(one, ScheduleTried)]

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


STAGES = """def train(epochs, schedule, optimizer):
    for epoch in range(epochs):
        for batch in range(10):
            optimizer.step()
            stepped(4)
        schedule.step()
optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(1))], lr=1e-2)
for epochs in (30, 4):
    train(epochs, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs), optimizer)
"""


def test_a_later_stage_has_a_length_of_its_own() -> None:
    seen = book()
    schedules = Schedules(seen)
    follow(schedules, lambda told: told)
    run(STAGES, seen, torch=torch, stepped=lambda line: seen.stepped([("train.py", line), ("train.py", 9)]))
    (found,) = [one for one in schedules.played_out() if isinstance(one, ScheduleAhead)]

    assert (found.ticks, found.length) == (30, 30)
