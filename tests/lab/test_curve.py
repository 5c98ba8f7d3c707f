"""What more data or more steps would bring, from trainings whose ends are known."""

import math
from collections.abc import Callable

import pytest
from msgspec import structs

from firstlight.lab.copies import Known, Trial
from firstlight.lab.curve import DRAWS, LEAST_STEPS, PARTS, TAIL, Parts, answer, name, points

STEPS = 200
PROGRAM = Trial(name="program", losses=tuple(0.1 + 2.0 * (step + 1) ** -0.5 for step in range(STEPS)))


def known(held_out: Callable[[float], float], examples: int | None = 1000) -> Known:
    trials = {
        name(part, draw): Trial(
            name=name(part, draw),
            losses=(*(0.2,) * (STEPS - TAIL), *(held_out(part) + 0.001 * (-1) ** place for place in range(TAIL))),
        )
        for part in PARTS
        for draw in range(DRAWS)
    }
    return Known(PROGRAM, finished=True, trials=trials, examples=examples)


def test_a_held_out_loss_that_still_falls_asks_for_data() -> None:
    told = answer(known(lambda part: 0.3 + 0.5 * part**-0.5), 0, ("train.py",))
    assert told.numbers["data_pays"] is True
    assert told.numbers["data_tenfold"] == pytest.approx(0.3 + 0.5 * 10**-0.5, abs=0.03)
    assert "More data helps" in told.answer
    assert "It fits its training data better than held-out data" in told.answer
    assert told.tables[0].rows[-1][0] == 800


def test_a_held_out_loss_that_stands_does_not() -> None:
    told = answer(known(lambda part: 0.5 + 1e-4 * part**-0.5), 0, ("train.py",))
    assert "More data would bring little" in told.answer
    assert told.numbers.get("data_pays") is not True


def test_without_a_loader_only_steps_are_looked_at() -> None:
    bare = Known(PROGRAM, finished=True)
    assert not Parts(STEPS)(bare)
    told = answer(bare, 0, ("train.py",))
    assert "data" not in told.answer
    assert told.numbers["steps_tenfold"] == pytest.approx(0.1 + 2.0 * (10 * STEPS) ** -0.5, rel=0.5)
    assert "no DataLoader" in told.limits[0]


def test_a_part_that_diverged_is_left_out() -> None:
    told = answer(known(lambda part: math.nan if part == PARTS[0] else 0.3 + 0.5 * part**-0.5), 0, ("train.py",))
    assert len(told.tables[0].rows) == len(PARTS) - 1


@pytest.mark.parametrize(("steps", "copies"), [(LEAST_STEPS - 1, 0), (LEAST_STEPS, len(PARTS) * DRAWS)])
def test_few_steps_are_not_compared(steps: int, copies: int) -> None:
    short = Known(Trial(name="program", losses=(1.0,) * steps), finished=True, examples=100)
    assert len(Parts(STEPS)(short)) == copies


@pytest.mark.parametrize("late", [True, False])
def test_a_copy_whose_time_was_over_was_never_asked_about_examples_held_out(late: bool) -> None:
    found = known(lambda part: 0.3 + 0.5 * part**-0.5)
    for draw in range(DRAWS):
        whole = found.trials[name(PARTS[0], draw)]
        found.trials[whole.name] = structs.replace(whole, out_of_time=late)
    assert [point.part for point in points(found)] == list(PARTS[late:])
    told = answer(found, 0, ("train.py",))
    assert any("2 of 8 copies ran out of time" in limit for limit in told.limits) is late


def test_what_the_noise_leaves_open_is_not_called_little() -> None:
    found = known(lambda part: 0.5 + 0.02 * part**-0.5)
    assert "More data would bring little" in answer(found, 0, ("train.py",)).answer
    for at, trial in enumerate(found.trials.values()):
        tail = (loss + 0.1 * (-1) ** at for loss in trial.losses[-TAIL:])
        found.trials[trial.name] = structs.replace(trial, losses=(*trial.losses[:-TAIL], *tail))
    assert "More data may help, but these runs cannot tell" in answer(found, 0, ("train.py",)).answer


@pytest.mark.parametrize("parts", [2, 3])
def test_two_amounts_say_nothing_about_more_data(parts: int) -> None:
    found = known(lambda _: 0.5)
    found.trials = {name(part, draw): found.trials[name(part, draw)] for part in PARTS[:parts] for draw in range(DRAWS)}
    assert ("More data would bring little" in answer(found, 0, ("train.py",)).answer) is (parts == 3)
