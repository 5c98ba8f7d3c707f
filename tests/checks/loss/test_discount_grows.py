import pytest

from firstlight.checks.loss.discount_grows import CHECK
from firstlight.records.dealings import Discounted
from firstlight.records.finding import Evidence
from firstlight.records.places import Site


def found(discount: float) -> list[Evidence]:
    seen = Discounted(rank=1, site=Site(file="train.py", line=20), step=24, looks=3, discount=discount)
    return list(CHECK.find(seen, CHECK.limits))


def test_tells_the_discount() -> None:
    (evidence,) = found(1.05)

    assert evidence.saw == "what comes one step later counts 1.050 times as much"


@pytest.mark.parametrize(("discount", "times"), [(0.99, 0), (1.0, 0), (1.001, 0), (1.002, 1)])
def test_each_side_of_most(discount: float, times: int) -> None:
    assert len(found(discount)) == times
