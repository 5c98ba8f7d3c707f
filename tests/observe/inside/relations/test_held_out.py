"""Evaluated examples wait for the answers that they are scored by."""

from pathlib import Path

import pytest
import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.relations.held_out import MOST_CALLS, MOST_PARTS, HeldOut
from firstlight.observe.inside.relations.sample import MOST_EXAMPLES

INPUTS = torch.arange(60.0).reshape(30, 2)
ANSWERS = torch.arange(30)


@pytest.fixture(autouse=True)
def _this_file_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "is_users", lambda filename: filename == str(Path(__file__)))


def pairs(held: HeldOut) -> list[tuple[float, float]]:
    """First value and answer of each example of the only evaluation."""
    held.training_goes_on(9)
    (part,) = held.parts.values()
    if not part.sample.kept:
        return []
    return list(zip(part.sample.inputs()[0][:, 0].tolist(), part.sample.answer()[:, 0].tolist(), strict=True))


def test_answers_that_come_with_the_batch() -> None:
    held = HeldOut()
    held.asked([INPUTS], ANSWERS, None)

    assert pairs(held) == [(2.0 * row, float(row)) for row in range(30)]


def test_answers_that_meet_the_predictions_of_each_batch() -> None:
    held = HeldOut()
    for rows in (slice(0, 20), slice(20, 30)):
        held.asked([INPUTS[rows]], None, None)
        held.met(ANSWERS[rows])

    assert pairs(held) == [(2.0 * row, float(row)) for row in range(30)]


def test_answers_that_meet_those_of_all_batches() -> None:
    held = HeldOut()
    for rows in (slice(0, 20), slice(20, 30)):
        held.asked([INPUTS[rows]], None, None)
    held.met(ANSWERS)

    assert pairs(held) == [(2.0 * row, float(row)) for row in range(30)]


@pytest.mark.parametrize(("place", "same", "kept"), [(0, False, 30), (1, True, 30), (1, False, 0), (None, False, 30)])
def test_answers_of_several_heads_are_not_taken_for_one_another(place: int | None, same: bool, kept: int) -> None:
    held = HeldOut()
    held.asked([INPUTS], None, None)
    held.met(ANSWERS, 0)
    held.met(ANSWERS if same else ANSWERS.flip(0), place)

    assert len(pairs(held)) == kept


def test_what_meets_them_is_taken_rather_than_what_came_with_them() -> None:
    held = HeldOut()
    held.asked([INPUTS], ANSWERS, None)
    held.met(ANSWERS + 1)

    assert pairs(held)[0] == (0.0, 1.0)


@pytest.mark.parametrize(
    "answers", [ANSWERS[:29], torch.tensor(3), torch.zeros(30, 65), torch.zeros(30, dtype=torch.cfloat)]
)
def test_what_is_no_answer_of_each_is_none(answers: torch.Tensor) -> None:
    held = HeldOut()
    held.asked([INPUTS], None, None)
    held.met(answers)

    assert pairs(held) == []


def test_those_that_wait_are_let_go_when_training_goes_on() -> None:
    held = HeldOut()
    held.asked([INPUTS], None, None)
    held.training_goes_on(3)
    held.met(ANSWERS)

    assert pairs(held) == []


def test_no_more_are_kept_than_there_is_room_for_evenly() -> None:
    held = HeldOut()
    many = torch.arange(5000.0)[:, None]
    held.asked([many], many[:, 0], None)

    kept = pairs(held)

    assert len(kept) == MOST_EXAMPLES
    assert (kept[0], kept[-1]) == ((0.0, 0.0), (4999.0, 4999.0))
    assert all(given == answer for given, answer in kept)


def test_loaders_and_lines_are_evaluations_of_their_own() -> None:
    held, sources = HeldOut(), [object() for _ in range(MOST_PARTS + 2)]
    for source in sources:
        held.asked([INPUTS], ANSWERS, source)

    assert len(held.parts) == MOST_PARTS


def test_it_is_over_after_many_calls() -> None:
    held = HeldOut()
    for _ in range(MOST_CALLS):
        assert held.open
        held.asked([INPUTS], None, None)

    assert not held.open


def test_a_score_is_of_an_evaluation_and_not_of_a_batch() -> None:
    held = HeldOut()
    for rows in (slice(0, 20), slice(20, 30)):
        held.asked([INPUTS[rows]], None, None)

    assert held.met(ANSWERS[:10]) is None
    part = held.met(ANSWERS)
    assert part is not None
    part.scores["roc_auc_score"] = 0.5
    held.no_more_scores()
    assert not part.scores
