"""What a sum is divided by, and what it is a sum of."""

from types import SimpleNamespace
from typing import Any

import pytest

from firstlight.experiments.inside.averages import Averages, Phase
from firstlight.records.averages import Averaged

RIGHT = [[(40.0, 50), (45.0, 50), (9.0, 10)], [(41.0, 50), (44.0, 50), (8.0, 10)]]
"""Of two evaluations: right answers and examples of each batch."""
LOSSES = [[(0.51, 50), (0.47, 50), (0.9, 10)], [(0.41, 50), (0.37, 50), (0.8, 10)]]


def divided(by: int, heard: list[list[tuple[float, int]]], kind: str, weigh: Any = None) -> list[Averaged]:
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    for batches in heard:
        phase = Phase()
        setattr(phase, kind, batches)
        total = sum(weigh(*one) if weigh else one[0] for one in batches)
        averages.divided([phase], total, by)
    return list(averages.seen())


def weighted(loss: float, count: int) -> float:
    return loss * count


def share(held: float, count: int) -> float:
    return held / count


@pytest.mark.parametrize(
    ("by", "heard", "kind", "weigh"),
    [
        (110, RIGHT, "right", None),
        (110, LOSSES, "losses", weighted),
        (104, RIGHT, "right", None),  # not all places count
        (2, LOSSES, "losses", None),  # half of a loss
    ],
)
def test_fine(by: int, heard: Any, kind: str, weigh: Any) -> None:
    assert divided(by, heard, kind, weigh) == []


@pytest.mark.parametrize(
    ("by", "heard", "kind", "weigh", "what"),
    [
        (3, RIGHT, "right", None, "right answers"),
        (150, RIGHT, "right", None, "right answers"),
        (110, RIGHT, "right", share, "shares of right answers"),
        (110, LOSSES, "losses", None, "losses"),
        (3, LOSSES, "losses", weighted, "losses"),
        (3, LOSSES, "losses", None, "losses"),  # the mean over unequal batches
    ],
)
def test_told(by: int, heard: Any, kind: str, weigh: Any, what: str) -> None:
    (told,) = divided(by, heard, kind, weigh)

    assert (told.what, told.by, told.batches, told.examples, told.times) == (what, by, 3, 110, 2)
    assert told.sure


def test_what_the_last_batch_gave_is_no_sum() -> None:
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    for heard in RIGHT:
        averages.divided([Phase(right=heard)], heard[-1][0], 110)
    (told,) = averages.seen()

    assert (told.what, told.by, told.of_last, told.sure) == ("right answers", 110, True, True)


def test_a_small_whole_number_met_once_may_be_another() -> None:
    (told,) = divided(3, RIGHT[:1], "right")

    assert not told.sure


def test_a_line_that_was_fine_once_is_fine() -> None:
    assert divided(3, [RIGHT[0], [(5.0, 1), (6.0, 1), (7.0, 1)]], "right") == []


def test_two_sums_on_one_line_are_told_apart() -> None:
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    for right, losses in zip(RIGHT, LOSSES, strict=True):
        phase, loss = Phase(right=right, losses=losses), sum(one * count for one, count in losses)
        for total, by in ((sum(held for held, _ in right), 3), (loss, 110)):
            averages.divided([phase], total, by)
    (told,) = averages.seen()

    assert (told.what, told.by) == ("right answers", 3)


def test_arrays_and_what_is_not_finite_are_passed_over() -> None:
    averages = Averages(SimpleNamespace(step=9))  # type: ignore[arg-type]  # as much of an observer as is asked
    phase = Phase(right=RIGHT[0])
    for total, by in (([94.0], 3), (float("nan"), 3), (94.0, 0), (94.0, 2.5), (0.0, 3)):
        if not isinstance(total, list):
            averages.divided([phase], total, by)

    assert list(averages.seen()) == []


DICE = [(0.51, 16), (0.62, 16), (0.58, 16), (0.43, 6)]
COUNTS = [(31.0, 16), (40.0, 16), (22.0, 16), (5.5, 6)]
ADDED_UP = [(31.0, 16), (71.0, 16), (93.0, 16), (98.5, 6)]


def of_any(heard: list[tuple[float, int]], total: float, by: int) -> list[Averaged]:
    """What a line takes from torch for each batch, whatever it is."""
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    averages.divided([Phase(numbers={None: heard})], total, by)
    return list(averages.seen())


@pytest.mark.parametrize(("by", "times"), [(4, 1), (54, 0), (6, 0), (3, 0)])
def test_scores_that_are_weighted_by_their_examples_and_divided_by_the_batches(by: int, times: int) -> None:
    told = of_any(DICE, sum(score * count for score, count in DICE), by)

    assert [(one.what, one.by, one.of_last, one.sure) for one in told] == [("scores", 4, False, True)] * times


def test_too_few_batches_say_nothing_of_a_line_that_more_are_wrong_on() -> None:
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    for heard in (DICE[:2], DICE):
        total = sum(score * count for score, count in heard)
        averages.divided([Phase(numbers={None: heard})], total, len(heard))

    assert [one.batches for one in averages.seen()] == [4]


def test_one_example_a_batch_is_as_many_batches_as_examples() -> None:
    assert of_any([(score, 1) for score, _ in DICE], 2.15, 4) == []


@pytest.mark.parametrize(("heard", "times"), [(COUNTS, 1), (ADDED_UP, 0)])
def test_what_the_last_batch_gave_divided_by_all_examples(heard: list[tuple[float, int]], times: int) -> None:
    assert [one.of_last for one in of_any(heard, heard[-1][0], 54)] == [True] * times


@pytest.mark.parametrize(("by", "times"), [(2.0**24 - 1, 1), (2.0**24, 0), (1e10, 0)])
def test_a_number_that_could_not_be_anything_but_whole_is_no_count(by: float, times: int) -> None:
    observer: Any = SimpleNamespace(step=9)
    averages = Averages(observer)
    averages.divided([Phase(right=[(5000.0, 9000), (4000.0, 9000)])], 9000.0, by)

    assert len(list(averages.seen())) == times
