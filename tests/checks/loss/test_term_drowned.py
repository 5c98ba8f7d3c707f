import pytest

from firstlight.checks.loss.term_drowned import CHECK
from firstlight.records.facts import LossTerms
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

NAMES = ("`cross_entropy` at train.py:30", "`mse_loss` at train.py:31")


def found(values: tuple[float, ...], steps: int = 9) -> list[Evidence]:
    terms = LossTerms(site=Site(file="train.py", line=33), steps=steps, names=NAMES, values=values)
    return list(CHECK.find(terms, CHECK.limits))


def test_tells_both_terms() -> None:
    (evidence,) = found((1.0, 1e6))

    assert "`mse_loss` at train.py:31 is 1e+06 and `cross_entropy` at train.py:30 is 1" in evidence.saw


@pytest.mark.parametrize(("largest", "times"), [(999.0, 0), (1001.0, 1)])
def test_each_side_of_ratio(largest: float, times: int) -> None:
    assert len(found((1.0, largest))) == times


@pytest.mark.parametrize(("steps", "times"), [(2, 0), (3, 1)])
def test_each_side_of_steps(steps: int, times: int) -> None:
    assert len(found((1.0, 1e6), steps)) == times


def test_terms_that_may_be_negative_have_no_ratio() -> None:
    assert found((-1.0, 1e6)) == found((0.0, 1e6)) == found(()) == []
