"""Whether what a step is fed is new, by the memory that most of it lies in; which layers a mode changes."""

import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.models import Models, Root, acts_by_mode

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


@pytest.mark.parametrize(
    "layer",
    [
        nn.Dropout2d(0.1),
        nn.BatchNorm1d(4),
        nn.InstanceNorm1d(4, track_running_stats=True),
        nn.GRU(2, 2, num_layers=2, dropout=0.1),
        nn.MultiheadAttention(4, 2, dropout=0.1),
        nn.RReLU(),
    ],
)
def test_training_in_eval_mode_silences_a_model_with_a_layer_that_it_changes(layer: nn.Module) -> None:
    model = nn.Sequential(nn.Linear(2, 2), layer)
    root = Root(index=0, ref=weakref.ref(model), name="Net", site=None)

    assert acts_by_mode(layer)
    assert not root.silenced()
    model.eval()
    assert root.silenced()


@pytest.mark.parametrize(
    "layer",
    [
        nn.Dropout(0.0),
        nn.BatchNorm1d(4, track_running_stats=False),
        nn.InstanceNorm1d(4),
        nn.GRU(2, 2, num_layers=2),
        nn.MultiheadAttention(4, 2),
        nn.LayerNorm(4),
        nn.ReLU(),
    ],
)
def test_it_silences_none_with_layers_that_do_the_same_in_both_modes(layer: nn.Module) -> None:
    model = nn.Sequential(nn.Linear(2, 2), layer).eval()

    assert not acts_by_mode(layer)
    assert not Root(index=0, ref=weakref.ref(model), name="Net", site=None).silenced()


def test_a_frozen_model_that_only_makes_features_is_not_silenced() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout()).eval().requires_grad_(False)

    assert not Root(index=0, ref=weakref.ref(model), name="Net", site=None).silenced()
