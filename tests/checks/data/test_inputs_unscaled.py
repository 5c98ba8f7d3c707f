import pytest
from tests.checks.data.feeding import fed, found

from firstlight.checks.data.inputs_unscaled import CHECK


def test_raw_pixels_are_called_that() -> None:
    (evidence,) = found(CHECK, fed(low=0.0, high=255.0, mean=127.0, std=74.0, widest=74.0, whole=True))

    assert evidence.saw == "`input 0` ranges from 0 to 255, 127 ± 74, whole numbers like raw pixels"
    assert (evidence.where.file, evidence.where.line) == ("train.py", 20)


@pytest.mark.parametrize(("widest", "times"), [(1.0, 0), (29.9, 0), (30.0, 1)])
def test_each_side_of_spread(widest: float, times: int) -> None:
    assert len(found(CHECK, fed(widest=widest))) == times


@pytest.mark.parametrize(("mean", "times"), [(29.9, 0), (30.0, 1), (-30.0, 1)])
def test_each_side_of_offset(mean: float, times: int) -> None:
    assert len(found(CHECK, fed(mean=mean))) == times


@pytest.mark.parametrize(("narrowest", "times"), [(0.0011, 0), (0.001, 1), (0.0, 0)])
def test_each_side_of_ratio(narrowest: float, times: int) -> None:
    evidence = found(CHECK, fed(narrowest=narrowest))

    assert len(evidence) == times
    assert all("has features with standard deviation 0.001 next to others with 1" in e.saw for e in evidence)


@pytest.mark.parametrize(("rows", "times"), [(15, 0), (16, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(CHECK, fed(widest=100.0, rows=rows))) == times
