import math

import pytest
from msgspec.structs import replace
from tests.checks.step.test_optimizer_settings_odd import look, motion, moved

from firstlight.checks.step.rates_far_apart import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.steered import GroupRate

BODY = GroupRate(rate=1e-6, tensors=4, elements=9000, drawn=True)
HEAD = GroupRate(rate=1e-3, tensors=2, elements=1000, drawn=True)


def found(*groups: GroupRate, looks: int = 2) -> list[Evidence]:
    seen = [replace(look(step, moved("weight")), groups=groups) for step in range(1, looks + 1)]
    return list(CHECK.find(motion(*seen), CHECK.limits))


def test_tells_the_part_and_both_rates() -> None:
    (evidence,) = found(BODY, HEAD)

    assert evidence.saw == (
        "`SGD` trains 9,000 of 10,000 weights at learning rate 1e-06, the others at up to 0.001, yet their "
        "matrices are as random as new ones"
    )
    assert evidence.where.line == 9


def test_what_was_trained_before_may_have_any_rate() -> None:
    assert found(replace(BODY, drawn=False), HEAD) == []


def test_one_group_is_fine() -> None:
    assert found() == []
    assert found(BODY) == []


@pytest.mark.parametrize(("rate", "times"), [(1.1e-5, 0), (1e-5, 1), (0.0, 0), (math.nan, 0)])
def test_each_side_of_apart(rate: float, times: int) -> None:
    assert len(found(replace(BODY, rate=rate), HEAD)) == times


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(BODY, HEAD, looks=looks)) == times
