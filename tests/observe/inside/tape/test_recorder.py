"""Where values come from."""

import pytest
import torch
from tests.observe.inside.tape.tapes import taped

from firstlight.observe.inside.tape import recorder as module
from firstlight.observe.inside.tape.recorder import Mark, Recorder


def marks(recorder: Recorder, tensor: torch.Tensor) -> Mark:
    made = recorder.made(tensor)
    assert made is not None
    return made[0].marks


def test_what_was_drawn_before_training_is_data_and_later_it_is_noise() -> None:
    layer = torch.nn.Linear(3, 3)
    with taped() as recorder:
        table = torch.randn(8, 3)
        hidden = layer(table)
        recorder.begin()
        chosen, noise = table[:4], torch.randn(4, 3)

    assert marks(recorder, chosen) == Mark.DRAWN | Mark.DATA
    assert marks(recorder, noise) == Mark.DRAWN
    assert marks(recorder, hidden) == Mark.DRAWN | Mark.TRAINED


def test_lazy_layers_are_recorded_once_they_have_values() -> None:
    with taped() as recorder:
        model = torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.LazyBatchNorm1d())
        output = model(torch.ones(8, 3))

    assert marks(recorder, output) & Mark.TRAINED


def test_a_tensor_may_outlive_the_names_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the interpreter ends, names are set to None before the last tensors die; what is raised then is printed."""
    with taped() as recorder:
        last = torch.nn.Linear(3, 3)(torch.ones(2, 3))
    assert recorder.made(last) is not None
    key, names = id(last), [name for name in vars(module) if not name.startswith("__")]
    with monkeypatch.context() as ending:
        for name in names:
            ending.setattr(module, name, None)
        del last

    assert key not in recorder._made


def test_noise_in_the_shape_of_inputs_lets_none_of_them_in() -> None:
    network, inputs = torch.nn.Linear(3, 2), torch.ones(8, 3)
    with taped() as recorder:
        recorder.whole = True
        noisy = inputs + 0.1 * torch.randn_like(inputs)
        network(torch.nn.functional.dropout(noisy, 0.5))

    (entered,) = recorder.entered
    assert entered is not inputs
    assert entered is not noisy
