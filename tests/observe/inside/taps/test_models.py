"""Whether what a step is fed is new, by the memory that most of it lies in."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.taps.models import Models

WHOLE, POINT = torch.randn(100, 1), torch.randn(2, 1)


@pytest.mark.parametrize(
    ("kept", "made", "rebuilt"),
    [([WHOLE], [], False), ([WHOLE], [POINT], False), ([POINT], [WHOLE], True), ([], [WHOLE], True)],
)
def test_a_batch_is_made_anew_where_most_of_it_is(
    kept: list[torch.Tensor], made: list[torch.Tensor], rebuilt: bool
) -> None:
    observer: Any = SimpleNamespace(step=0)
    models = Models(observer)
    held = []
    for _ in range(2):
        held.append([*kept, *(tensor.clone() for tensor in made)])
        models.inputs = held[-1]
        models.step_ended()

    assert models.batch_rebuilt is rebuilt
