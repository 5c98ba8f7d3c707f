"""Which losses of a live run are counted as spikes."""

import random

import pytest

from firstlight.facts.live.losses import Losses, Rates
from firstlight.records.live import LossTrack
from firstlight.records.telemetry import StepRow


def course(clip_at: float | None, height: float = 50.0) -> LossTrack:
    """Falls from 1 to 0.1; every fiftieth loss of the second half stands high, with a gradient to match."""
    draw, losses = random.Random(0), Losses()
    for step in range(400):
        high = step > 200 and step % 50 == 7
        loss = height if high else (0.1 + 0.9 * 0.98**step) * (1 + 0.1 * draw.random())
        row = StepRow(step=step, loss=loss, clip_norm=loss if clip_at else None, clip_at=clip_at)
        losses.add(row)
    track = losses.fact(row, 0, Rates(), (1, True))
    assert track is not None
    return track


def test_losses_that_stand_out_are_counted() -> None:
    assert course(None).spikes == 4


@pytest.mark.parametrize(("clip_at", "spikes"), [(5.0, 0), (500.0, 4)])
def test_those_whose_gradient_was_cut_are_not(clip_at: float, spikes: int) -> None:
    assert course(clip_at).spikes == spikes


def test_those_below_the_start_are_not() -> None:
    assert course(None, height=0.9).spikes == 0
