from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.step.schedule_spends_rate import CHECK
from firstlight.records.declared import ScheduleTried
from firstlight.records.finding import Evidence

ILL = ScheduleTried(
    schedule="StepLR",
    every="step",
    steps=1000,
    epoch_steps=100,
    rates=(0.1, 0.01, 0.0),
    peak_at=0.0,
    spent_at=0.09,
    known_length=True,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(ILL, **changes), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    evidence = found()[0]

    assert "`StepLR` is below a thousandth of its peak 0.1 after 9% of 1000 steps" in evidence.saw
    assert "at least 50% of the run" in evidence.wanted
    assert (evidence.cause or CHECK.causes[0]) == "train-schedule"


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ({"spent_at": 0.49}, 1),
        ({"spent_at": 0.5}, 0),
        ({"spent_at": None}, 0),
        ({"spent_at": None, "peak_at": 0.99, "rates": (0.01, 0.11)}, 1),
        ({"spent_at": None, "peak_at": 0.97, "rates": (0.01, 0.11)}, 0),
        ({"spent_at": None, "peak_at": 0.99, "rates": (0.01, 0.09)}, 0),
        ({"spent_at": None, "peak_at": 0.99, "rates": (0.0, 0.01, 0.06, 0.11)}, 1),
        ({"spent_at": None, "peak_at": 0.99, "rates": (0.0, 0.05, 0.11)}, 0),
        ({"spent_at": None, "peak_at": 0.99, "rates": (0.0, 0.0)}, 0),
        ({"rates": ()}, 0),
    ],
)
def test_both_sides_of_every_limit(changes: dict[str, Any], times: int) -> None:
    assert len(found(**changes)) == times


@pytest.mark.parametrize(
    ("rates", "times"),
    [((0.01, 0.03, 0.0), 1), ((0.01, 0.02), 0), ((0.1, 0.0), 0), ((0.0, 0.03, 0.0), 1), ((0.0, 0.0), 0)],
)
def test_one_that_is_never_stepped_keeps_a_low_rate(rates: tuple[float, ...], times: int) -> None:
    assert len(found(every="never", rates=rates)) == times


def test_a_guessed_length_is_only_a_warning() -> None:
    assert found()[0].severity is None
    assert found(known_length=False)[0].severity == "warning"


def test_within_an_epoch_the_units_are_wrong() -> None:
    assert "stepped at every batch" in (found()[0].likely or "")
    assert found(spent_at=0.2)[0].likely is None
