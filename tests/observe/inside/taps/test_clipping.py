"""Whether a clipping comes between backward and step."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.clipping import Clipping
from firstlight.records.training import ClipSeen


@pytest.mark.parametrize(
    ("steps", "backwards", "ever", "fresh"),
    [(0, 0, False, True), (3, 1, True, True), (3, 0, True, False), (3, 0, False, True)],
    ids=["before the first step", "after a backward", "after the step", "no gradient ever came"],
)
def test_a_clipping_is_late_where_gradients_came_and_were_stepped_with(
    steps: int, backwards: int, ever: bool, fresh: bool
) -> None:
    weight, told = torch.zeros(2), list[ClipSeen]()
    held = SimpleNamespace(parameters=[weight], steps=steps, backwards=backwards, ever_got_gradients=ever)
    observer: Any = SimpleNamespace(emit=told.append, scale=1.0)
    optimizers: Any = SimpleNamespace(held={0: held})

    Clipping(observer, optimizers).clipped([weight], 1.0, torch.tensor(0.5))

    assert [(clip.fresh, clip.norm) for clip in told] == [(fresh, 0.5)]
