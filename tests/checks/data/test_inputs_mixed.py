from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.data.relating import found, related

from firstlight.checks.data.inputs_mixed import CHECK
from firstlight.records.relations import Mixed, Relations


def mixed(**changes: Any) -> Relations:
    return related(mixed=replace(Mixed(examples=256, mixed=250, weight=0.7), **changes))


def test_the_weight_of_the_other_example_is_told() -> None:
    (evidence,) = found(CHECK, mixed())

    assert evidence.saw.startswith("250 of 256 examples reach the model mixed with another one (weight 70%)")
    assert evidence.where.line == 20


@pytest.mark.parametrize(("examples", "times"), [(23, 0), (24, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(CHECK, mixed(examples=examples, mixed=examples))) == times


@pytest.mark.parametrize(("count", "times"), [(127, 0), (128, 1)])
def test_each_side_of_share(count: int, times: int) -> None:
    assert len(found(CHECK, mixed(mixed=count))) == times


@pytest.mark.parametrize(("weight", "times"), [(0.44, 0), (0.45, 1), (float("nan"), 0)])
def test_each_side_of_weight(weight: float, times: int) -> None:
    assert len(found(CHECK, mixed(weight=weight))) == times
