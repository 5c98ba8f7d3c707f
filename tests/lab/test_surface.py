"""The loss around the weights, from losses that were walked over on paper."""

import math

import pytest

from firstlight.experiments.loss_card import card as card_of
from firstlight.lab import loss_card
from firstlight.lab.copies import Known, Trial
from firstlight.lab.surface import SIDE, Walks, answer, barrier, plan
from firstlight.records.steered import LossCard, LossPlace

STEPS = 100


def known(bump: float) -> Known:
    program = Trial(name="program", losses=(1.0,) * STEPS, rates=(0.1,) * STEPS)
    found = Known(program, finished=False, by_loader=True)
    walks = Walks.of(found)
    shares = [-0.25 + 1.5 * place / (walks.along - 1) for place in range(walks.along)]
    line = [(1 - share) ** 2 + bump * math.exp(-((share - 0.5) ** 2) / 0.01) for share in shares]
    side = [2 * place / (SIDE - 1) - 1 for place in range(SIDE)]
    plane = [0.1 + x * x + y * y for y in side for x in side]
    before = (1.0,) * walks.train
    found.trials = {
        "line": Trial(name="line", losses=(*before, *line)),
        "plane": Trial(name="plane", losses=(*before, *plane)),
    }
    return found


def test_a_bowl_has_no_barrier_and_grows_outwards() -> None:
    told = answer(known(0.0), 0, ("train.py",))
    assert "falls without a barrier" in told.answer
    assert told.numbers["centre"] == pytest.approx(0.1)
    assert told.numbers["at_half_length"] == pytest.approx(0.35, abs=0.15)
    assert len(told.maps[0].values) == SIDE


def test_a_hill_on_the_way_is_a_barrier() -> None:
    told = answer(known(1.0), 0, ("train.py",))
    assert "rises by" in told.answer


def test_a_barrier_is_counted_from_the_lowest_point_before_it() -> None:
    assert barrier([0.0, 0.5, 1.0], [3.0, 1.0, 2.0]) == 1.0
    assert barrier([0.0, 1.0], [3.0, 1.0]) == 0.0
    assert barrier([0.0, 1.0], [3.0, math.nan]) is None


def test_a_short_program_lends_only_the_steps_it_has() -> None:
    short = Known(Trial(name="program", losses=(1.0,) * 40, rates=(0.1,) * 40), finished=True, by_loader=True)
    walks = Walks.of(short)
    assert walks.train + walks.side**2 <= 40
    assert walks.side % 2 == 1  # the trained weights are one of the places
    assert all(order.steps <= 40 for order in plan(short))
    assert not plan(Known(Trial(name="program", losses=(1.0,) * 3, rates=(0.1,) * 3), finished=True, by_loader=True))


def card(slope: float, value: float = 1.0) -> LossCard:
    """Of numbers: `slope` times the difference is the gradient."""
    side = (-1.0, 0.0, 1.0)
    rows = tuple(tuple(LossPlace(value, (slope * (x - y),), math.isfinite(value)) for x in side) for y in side)
    return LossCard(kind="numbers", x="prediction", y="target", side=side, rows=rows)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (card(2.0), {}),
        (card(-2.0), {"leads away from the target": 6}),
        (card(0.0), {"has no gradient although the prediction is wrong": 6}),
        (card(2.0, math.nan), {"is not a number": 9}),
    ],
)
def test_a_loss_function_alone_is_told_by_its_slopes(given: LossCard, wrong: dict[str, int]) -> None:
    assert {what: count for what, count in loss_card.flags(given) if count} == wrong
    assert ("has faults" in loss_card.answer("m:f", given).answer) == bool(wrong)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("CrossEntropyLoss", "classes"),
        ("MSELoss", "numbers"),
        ("L1Loss", "numbers"),
        ("BCEWithLogitsLoss", "yes or no"),
    ],
)
def test_a_loss_is_taken_for_what_it_is(word: str, kind: str) -> None:
    found = card_of(f"torch.nn:{word}")
    assert found.kind == kind
    assert not any(count for _, count in loss_card.flags(found))
