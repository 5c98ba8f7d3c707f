import pytest
from msgspec.structs import replace

from firstlight.checks.step.randomness_repeats import CHECK
from firstlight.records.places import Site
from firstlight.records.randomness import RandomAgain

AGAIN = RandomAgain(step=12, model="Net", site=Site(file="train.py", line=20), times=3, first=3, again=6)


def test_tells_where_the_seed_is_set_and_what_came_back() -> None:
    (evidence,) = CHECK.find(AGAIN, CHECK.limits)

    assert evidence.saw.startswith("3 training calls of `Net` found a random state of `torch`")
    assert evidence.saw.endswith("that of step 3 came back at step 6")
    assert evidence.where.line == 20


@pytest.mark.parametrize(("times", "told"), [(1, 0), (2, 1)])
def test_each_side_of_times(times: int, told: int) -> None:
    assert len(list(CHECK.find(replace(AGAIN, times=times), CHECK.limits))) == told


@pytest.mark.parametrize(("same", "cause"), [(4, "env-seed"), (5, "data-stale-batch")])
def test_each_side_of_same(same: int, cause: str) -> None:
    (evidence,) = CHECK.find(replace(AGAIN, times=10, same=same), CHECK.limits)

    assert evidence.cause == cause
