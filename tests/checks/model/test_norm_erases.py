import pytest

from firstlight.checks.model.norm_erases import CHECK
from firstlight.records.inner import Erased
from firstlight.records.places import Site


@pytest.mark.parametrize(("looks", "times"), [(2, 0), (3, 1)])
def test_each_side_of_looks(looks: int, times: int) -> None:
    erased = Erased(
        step=9,
        module="body.norm",
        kind="LayerNorm",
        site=Site(file="train.py", line=14),
        shape=(40, 20, 1),
        looks=looks,
    )
    found = list(CHECK.find(erased, CHECK.limits))

    assert len(found) == times
    for evidence in found:
        assert "`body.norm` (LayerNorm) gets values of shape (40, 20, 1)" in evidence.saw
        assert evidence.where.line == 14
