"""What a model makes itself is not judged as data that it is fed; how wide its batches are is noted."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.feeding import Feeding
from firstlight.observe.inside.taps.models import Call


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(3, 5)

    def forward(self, inputs: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs, self.cell(inputs, state)


def measured(carry: Callable[[torch.Tensor], torch.Tensor]) -> set[str]:
    """Names of the inputs that are judged after six steps, by how the state comes to the next of them."""
    model = Recurrent()
    models: Any = SimpleNamespace(roots={id(model): SimpleNamespace(index=0, ref=lambda: model, backwards=1)})
    observer: Any = SimpleNamespace(light=False, step=0)
    walked: Any = None
    feeding = Feeding(observer, models, walked)
    inputs, state = torch.randn(8, 3), torch.zeros(8, 5)
    for _ in range(6):
        output = model(inputs, state)
        feeding.returned(Call(model, (inputs, state), {}, [inputs, state], output, True))
        state = carry(output[1])
    return {fed.train.name for fed in feeding.plates[0].feed.inputs()}


def test_a_state_that_is_carried_on_is_no_data() -> None:
    assert measured(carry=lambda state: state) == {"input 0"}
    assert measured(carry=lambda state: state.detach()) == {"input 0"}
    assert measured(carry=lambda state: state.data) == {"input 0"}


def test_a_state_that_begins_anew_is_given_like_any_input() -> None:
    assert measured(carry=torch.randn_like) == {"input 0", "input 1"}


@pytest.mark.parametrize(("lengths", "widths"), [((7, 7, 7), 1), ((7, 9, 7), 2)])
def test_lengths_of_rows_of_ids_are_counted_for_each_input(lengths: tuple[int, ...], widths: int) -> None:
    model = nn.Linear(1, 1)
    models: Any = SimpleNamespace(roots={id(model): SimpleNamespace(index=0, ref=lambda: model, backwards=1)})
    observer: Any = SimpleNamespace(light=False, step=0)
    walked: Any = None
    feeding = Feeding(observer, models, walked)
    for length in lengths:
        given = (torch.ones(8, length).long(), torch.ones(8, 3).long())
        feeding.returned(Call(model, given, {}, list(given), torch.zeros(8), True))

    assert max(map(len, feeding.plates[0].widths.values())) == widths
