import pytest

from firstlight.checks.learning.metric_misses_ideal import CHECK
from firstlight.records.declared import MetricTried
from firstlight.records.finding import Evidence

NAN = float("nan")


def found(ideal: float, permuted: float, contrary: float) -> list[Evidence]:
    return list(CHECK.find(MetricTried(ideal=ideal, permuted=permuted, contrary=contrary), CHECK.limits))


def test_tells_what_was_seen_and_wanted() -> None:
    (evidence,) = found(0.5, 0.5, 0.5)

    assert evidence.saw == "ideal predictions score 0.5, reordered ones 0.5, contrary ones 0.5"
    assert evidence.wanted == "a score for the ideal predictions that is better than both others"


@pytest.mark.parametrize(
    ("ideal", "permuted", "contrary", "times"),
    [
        (1.0, 0.5, 0.0, 0),
        (0.0, 0.5, 1.0, 0),
        (0.0, 1.3, 7.0, 0),
        (1.0, 0.0, 0.0, 0),
        (1.0, 0.998, 0.0, 0),
        (1.0, 0.9991, 0.0, 1),
        (0.5, 0.4, 0.6, 1),
        (0.0, 0.0, 0.0, 1),
        (NAN, 0.5, 0.0, 1),
        (1.0, NAN, 0.0, 0),
        (1.0, NAN, NAN, 0),
    ],
)
def test_both_sides_of_the_limit(ideal: float, permuted: float, contrary: float, times: int) -> None:
    assert len(found(ideal, permuted, contrary)) == times
