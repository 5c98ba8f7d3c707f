"""Ladders of experiments go on while they tell."""

import pytest

from firstlight.facts.standing import BLIND
from firstlight.judge.orders import _rates, _terms
from firstlight.observe.watch import Watched
from firstlight.records.contrast import UNMOVED, Level
from firstlight.records.inner import Moved, Movement
from firstlight.records.learning import CERTIFIED, NO_SIGN, NOT_CERTIFIED, LearningSign
from firstlight.records.training import BackwardSeen


def level(first: float, last: float) -> Level:
    return Level(first=first, last=last, noise=0.0, finite=True)


def course(first: float, last: float) -> list[float]:
    return [first] * 75 + [last] * 75


def look(pace: float) -> Movement:
    moved = Moved(name="w", shape=(8, 4), dtype="float32", gradient=0.1, weight=1.0, update=pace, still=0.0)
    return Movement(step=1, optimizer=0, name="Adam", built=None, settings={"lr": 1.0}, tensors=(moved,))


def backward(value: float, terms: int | None = None) -> BackwardSeen:
    return BackwardSeen(step=0, site=None, value=value, connected=True, terms=terms)


def sign(status: str) -> LearningSign:
    return LearningSign(step=100, status=status, reason="", site=None, steps=100, fresh=50)


@pytest.mark.parametrize(
    ("base", "tenth", "ordered"),
    [
        (2.5, 2.4, ["lr-hundredth"]),
        (2.5, 2.3, ["lr-hundredth"]),
        (2.5, 2.2, []),
        (2.2, 2.4, []),
    ],
    ids=["a tenth rises too", "a tenth stands", "a tenth learns", "the program learns"],
)
def test_lower_rates_are_tried_until_one_learns(base: float, tenth: float, ordered: list[str]) -> None:
    assert _rates(Watched(), course(2.3, base), {"lr-tenth": level(2.3, tenth)}) == ordered


def test_every_rung_is_tried_once() -> None:
    stands = level(2.3, 2.3)

    assert _rates(Watched(), course(2.3, 2.5), {"lr-tenth": stands, "lr-hundredth": stands}) == ["lr-thousandth"]


@pytest.mark.parametrize(
    ("hundredfold", "ordered"), [(2.29, ["lr-thousandfold"]), (1.9, []), (1.0, ["lr-thousandfold"])]
)
def test_higher_rates_are_tried_while_nothing_moves_or_each_is_better(hundredfold: float, ordered: list[str]) -> None:
    stands = level(2.3, 2.3)
    rungs = {"lr-tenth": stands, "lr-tenfold": stands, "lr-hundredfold": level(2.3, hundredfold)}

    assert _rates(Watched(), course(2.3, 2.3), rungs) == ordered


@pytest.mark.parametrize(("pace", "ordered"), [(0.09, []), (0.11, ["lr-hundredth"])])
def test_lower_rates_are_tried_where_weights_leap_although_a_tenth_is_no_better(
    pace: float, ordered: list[str]
) -> None:
    assert _rates(Watched(records=[look(pace)]), course(2.3, 2.0), {"lr-tenth": level(2.3, 1.9)}) == ordered


@pytest.mark.parametrize(("last", "ordered"), [(2.13, ["lr-hundredfold"]), (2.0, [])])
def test_a_program_stands_where_the_copy_that_never_moved_is(last: float, ordered: list[str]) -> None:
    """Batches that get easier by themselves are not learnt."""
    unmoved = course(2.3, 2.13)
    watched = Watched(timelines={UNMOVED: [backward(value) for value in unmoved]})
    rungs = {"lr-tenth": level(2.3, 2.13), "lr-tenfold": level(2.3, 2.13), UNMOVED: level(2.3, 2.13)}

    assert _rates(watched, course(2.3, last), rungs) == ordered


@pytest.mark.parametrize(
    ("status", "terms", "ordered"),
    [(NO_SIGN, 2, 4), (NO_SIGN, 3, 6), (NO_SIGN, 4, 0), (NO_SIGN, 1, 0), (NO_SIGN, None, 0), (CERTIFIED, 2, 0)],
)
def test_terms_are_taken_out_where_there_are_a_few_and_nothing_is_learnt(
    status: str, terms: int | None, ordered: int
) -> None:
    assert len(_terms(Watched(records=[backward(2.3, terms), sign(status)]), course(2.3, 2.3), {})) == ordered


@pytest.mark.parametrize(
    ("blind", "status", "ordered"), [(4.05, NOT_CERTIFIED, 4), (4.3, NOT_CERTIFIED, 0), (4.05, CERTIFIED, 0)]
)
def test_they_are_where_the_sum_falls_as_well_with_answers_of_other_inputs(
    blind: float, status: str, ordered: int
) -> None:
    watched = Watched(records=[backward(240.0, 2), sign(status)])
    watched.timelines[BLIND] = [backward(value) for value in course(240.0, blind)]

    assert len(_terms(watched, course(240.0, 4.0), {BLIND: level(240.0, blind)})) == ordered
