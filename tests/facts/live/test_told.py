from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.live import robust
from firstlight.facts.live.told import EvalWindow, ScoreWindow, TermWindow

numbers = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=30)


@given(numbers)
def test_a_series_goes_with_itself_and_against_its_mirror(values: list[float]) -> None:
    changes = len(set(values)) > 1

    assert robust.together(values, values) == pytest.approx(1.0 if changes else 0.0)
    assert robust.together(values, [-value for value in values]) == pytest.approx(-1.0 if changes else 0.0)


@given(numbers, st.randoms())
def test_rank_correlation_is_bounded_and_symmetric(values: list[float], random: Random) -> None:
    others = list(values)
    random.shuffle(others)

    assert -1.0001 <= robust.together(values, others) <= 1.0001
    assert robust.together(values, others) == pytest.approx(robust.together(others, values))


@pytest.mark.parametrize(("name", "agreement"), [("val_acc", 1.0), ("val/error", -1.0)])
def test_the_good_direction_of_a_score_is_known_by_its_name(name: str, agreement: float) -> None:
    window = ScoreWindow()
    for place in range(8):
        window.add({name: place / 10, "val_loss": 1 - place / 10})

    (track,) = window.facts(100, 0, 0.5, (0.5, 0.5))
    assert [track.improving, track.agreement] == pytest.approx([1.0, agreement])


@pytest.mark.parametrize(
    "told",
    [{"val_acc": 0.5}, {"acc": 0.5, "loss": 1.0}, {"val_acc": float("nan"), "val_loss": 1.0}, {"val_score": 0.5}],
    ids=["no loss", "of training", "not a number", "which way is good"],
)
def test_what_cannot_be_paired_is_left_out(told: dict[str, float]) -> None:
    window = ScoreWindow()
    window.add(told)
    window.add({"val_mystery": 1.0, "val_loss": 1.0})

    assert window.facts(1, 0, 0.5, ()) == []


def test_terms_are_parts_of_the_loss_of_training() -> None:
    window = TermWindow()
    window.add({"kl_loss": -2.0, "loss_rec": 3.0, "train_loss": 1.0, "total_loss": 1.0, "val_kl_loss": 9.0, "lr": 0.1})

    (track,) = window.facts(1, 0)
    assert track.terms == {"kl_loss": 2.0, "loss_rec": 3.0}


def test_one_term_is_no_balance() -> None:
    window = TermWindow()
    window.add({"kl_loss": 2.0, "train_loss": 1.0})

    assert window.facts(1, 0) == []


def test_an_evaluation_is_kept_beside_the_training_loss() -> None:
    window = EvalWindow()
    window.add({"val_loss": 2.0, "train_loss": 1.0, "val_acc": 0.5}, train=1.5, lately=1.2)

    (track,) = window.facts(7, 0)
    assert (track.name, track.values, track.train, track.lately) == ("val_loss", (2.0,), (1.5,), (1.2,))
