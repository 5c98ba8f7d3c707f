from typing import Any

import pytest
from msgspec.structs import replace
from tests.checks.loss.rewards import ACTED, ASKED, SEEN

from firstlight.checks.loss.actions_against_reward import CHECK
from firstlight.records.finding import Evidence

AGAINST = replace(ACTED, at_end=(-0.09, -0.1), at_start=(-0.1,))
WITHOUT = replace(ACTED, at_end=(), at_start=())


def found(seen: Any) -> list[Evidence]:
    return list(CHECK.find(seen, CHECK.limits))


def test_tells_of_a_pull_against_the_reward() -> None:
    (evidence,) = found(replace(SEEN, actions=(AGAINST,)))

    assert evidence.saw == (
        "a reward that is 1 higher raises the target for its step by 1 and changes the weight of that action by -0.1"
    )


def test_tells_of_a_pull_without_the_reward() -> None:
    (evidence,) = found(replace(SEEN, actions=(WITHOUT,)))

    assert evidence.likely == "the weights of the actions are not computed from the returns"


def test_two_backwards_are_not_judged_by_what_stays() -> None:
    assert found(replace(SEEN, actions=(replace(WITHOUT, together=False),))) == []


def test_a_pull_along_with_the_reward_is_fine() -> None:
    assert found(SEEN) == []


def test_values_that_are_turned_themselves_are_told_elsewhere() -> None:
    turned = replace(ASKED, at_end=(-1.0,), at_start=(-1.0,))

    assert found(replace(SEEN, values=(turned,), actions=(AGAINST,))) == []
    assert found(replace(SEEN, values=())) == []


@pytest.mark.parametrize(("changed", "times"), [(8, 1), (9, 0)])
def test_each_side_of_changed(changed: int, times: int) -> None:
    standardised = replace(AGAINST, at_start=(-5e-6,) * changed)

    assert len(found(replace(SEEN, actions=(standardised,)))) == times
