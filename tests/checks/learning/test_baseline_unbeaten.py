from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.learning.baseline_unbeaten import CHECK
from firstlight.records.declared import Baselines, Score
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Site

SEEN = Baselines(
    measure="share of wrong classes",
    trained=900,
    scored=300,
    steps=400,
    epochs=14.0,
    model_error=0.68,
    model_train_error=0.6,
    noise=0.01,
    scores=(Score(name="majority class", error=0.7), Score(name="linear model", error=0.1)),
    site=Site(file="model.py", line=3),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_every_score() -> None:
    (evidence,) = found(model_error=0.69)

    assert evidence.saw == (
        "after 400 steps the share of wrong classes is 0.69 on 300 new examples; majority class 0.7, linear model 0.1"
    )
    assert evidence.wanted == "less than 0.68"
    assert (evidence.severity, evidence.where.file) == (Severity.WARNING, "model.py")


@pytest.mark.parametrize(("error", "severity"), [(0.681, Severity.WARNING), (0.679, Severity.NOTE)])
def test_each_side_of_noises(error: float, severity: Severity) -> None:
    (evidence,) = found(model_error=error)

    assert evidence.severity is severity


@pytest.mark.parametrize(("error", "times"), [(0.129, 0), (0.131, 1)])
def test_each_side_of_behind(error: float, times: int) -> None:
    evidence = found(model_error=error)

    assert [e.severity for e in evidence] == [Severity.NOTE] * times


@pytest.mark.parametrize(("steps", "times"), [(99, 0), (100, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found(steps=steps)) == times


def test_where_nothing_is_to_be_had_it_is_a_note() -> None:
    (evidence,) = found(scores=(Score(name="mean", error=0.7), Score(name="linear model", error=0.71)))

    assert evidence.severity is Severity.NOTE
