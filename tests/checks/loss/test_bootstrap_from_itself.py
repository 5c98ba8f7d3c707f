from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.loss.test_ends_pass_unnoticed import SEEN

from firstlight.checks.loss.bootstrap_from_itself import CHECK
from firstlight.records.finding import Evidence


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(SEEN, **changes), CHECK.limits))


def test_tells_that_states_are_the_same() -> None:
    (evidence,) = found(same=3)

    assert evidence.saw == "at 3 looks the target was computed from the same 192 states as the prediction"


def test_tells_of_a_gradient() -> None:
    (evidence,) = found(carries=3)

    assert evidence.do == "compute the target under `torch.no_grad()`"


def test_a_target_of_other_states_without_gradient_is_fine() -> None:
    assert found() == []


@pytest.mark.parametrize("what", ["same", "carries"])
def test_at_every_look(what: str) -> None:
    assert found(**{what: 2}) == []


@pytest.mark.parametrize(("looks", "times"), [(1, 0), (2, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    assert len(found(looks=looks, same=looks)) == times
