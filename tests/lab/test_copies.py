"""Copies of a program, as the lab reads them."""

import pytest

from firstlight.lab.copies import GRACE, LEAST_SECONDS, Known, Trial, trial_of
from firstlight.records.program import Ending
from firstlight.records.timelines import TimelineEnded


@pytest.mark.parametrize(
    ("reason", "code", "died", "out_of_time"),
    [
        ("steps", 0, False, False),
        ("time", 0, False, True),
        (None, None, True, True),  # it hung, and was ended by force
        (None, 1, True, False),
    ],
)
def test_a_copy_that_we_ended_is_told_from_one_that_ended(
    reason: str | None, code: int | None, died: bool, out_of_time: bool
) -> None:
    endings = [Ending(step=3, reason=reason, backwards=3, steps=3, unstepped={}, unused={})] if reason else []
    made = trial_of(endings, TimelineEnded(step=0, name="copy", seconds=2.0, exit_code=code))
    assert (made.name, made.died, made.out_of_time) == ("copy", died, out_of_time)


def test_a_copy_has_time_by_the_pace_of_the_program() -> None:
    known = Known(Trial(name="program", losses=(1.0,) * 100, seconds=20.0), finished=True)
    assert known.seconds_for(200) == 2 * GRACE * 20.0
    assert known.seconds_for(1) == LEAST_SECONDS
