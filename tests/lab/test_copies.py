"""Copies of a program, as the lab orders and reads them."""

from pathlib import Path

import pytest

from firstlight.experiments.engine import NURSERY
from firstlight.experiments.engines.fork import ForkEngine
from firstlight.experiments.plan import Order
from firstlight.lab.copies import GRACE, LEAST_SECONDS, Known, LabCopies, Trial, trial_of
from firstlight.lab.journal import LabJournal
from firstlight.observe.watch import Watched
from firstlight.records.program import Ending
from firstlight.records.timelines import NurseryOpened, TimelineEnded


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


def begun(folder: Path) -> tuple[LabCopies, Watched]:
    """A program that is over, of which three copies are asked for at once."""
    orders = [Order(name=name, steps=3, seconds=1.0) for name in ("first", "second", "third")]
    folder.mkdir(exist_ok=True)
    engine = ForkEngine(folder, seconds=60.0)
    copies = LabCopies(engine, lambda _known: orders, LabJournal(folder.parent / "journal.ndjson"))
    watched = Watched(over=True, exit_code=0, timelines={NURSERY: [NurseryOpened(step=0, pid=1)]})
    copies.settled(watched)
    return copies, watched


def test_what_was_done_before_an_interrupt_is_not_done_again_whichever_it_was(tmp_path: Path) -> None:
    copies, watched = begun(tmp_path / "interrupted")
    assert [order.name for order in copies.engine.ordered] == ["first", "second", "third"]
    watched.timelines[NURSERY].append(TimelineEnded(step=0, name="second", seconds=1.0, exit_code=0))
    copies.settled(watched)
    copies.interrupted = True
    assert copies.left == 2
    again, watched = begun(tmp_path / "again")
    assert [order.name for order in again.engine.ordered] == ["first", "third"]
    assert set(again.known.trials) == {"second"}
    for name in ("first", "third"):
        watched.timelines[NURSERY].append(TimelineEnded(step=0, name=name, seconds=1.0, exit_code=0))
    assert again.settled(watched)
    assert again.left == 0
