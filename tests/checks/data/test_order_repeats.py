import pytest

from firstlight.checks.data.order_repeats import CHECK
from firstlight.records.facts import Passes
from firstlight.records.places import Site


def found(compared: int, equal: int) -> list[str]:
    passes = Passes(rank=0, site=Site(file="train.py", line=7), compared=compared, equal=equal)
    return [evidence.saw for evidence in CHECK.find(passes, CHECK.limits)]


def test_the_same_batches_in_the_same_order() -> None:
    assert found(3, 3) == ["the first 3 batches of the second pass equal those of the first, in the same order"]


@pytest.mark.parametrize(("compared", "equal"), [(24, 0), (24, 23), (2, 2), (0, 0)])
def test_another_order_or_too_few_to_tell(compared: int, equal: int) -> None:
    assert not found(compared, equal)
