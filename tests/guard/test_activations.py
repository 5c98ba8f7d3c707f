"""What is read of a module's output on the host: a sample that tells the whole, and every unit of a ReLU."""

import pytest
import torch
from torch import nn

from firstlight.guard.activations import SAMPLE, Activations, read_here


@pytest.mark.parametrize("shape", [(8, 3), (64, 300, 40), (16, 32, 24, 24)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_a_sample_tells_the_whole(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    output = (torch.randn(shape) * 3 + 1).to(dtype)
    if output.ndim == 4:
        output = output.to(memory_format=torch.channels_last)
    found = read_here("layer", nn.Identity(), output)
    whole = output.float()

    exact = output.numel() <= SAMPLE
    assert found.rms == pytest.approx(whole.square().mean().sqrt().item(), rel=1e-4 if exact else 0.03)
    assert found.mean == pytest.approx(whole.mean().item(), abs=1e-3 if exact else 0.1)
    assert found.absmax <= whole.abs().max().item() * 1.001
    assert found.half == (dtype == torch.bfloat16)


@pytest.mark.parametrize("shape", [(4096, 30), (64, 30, 20, 20)], ids=str)
def test_a_unit_that_speaks_once_is_not_dead(shape: tuple[int, ...]) -> None:
    output = torch.zeros(shape)
    output[-1, :10] = 1.0
    assert read_here("layer", nn.ReLU(), output).dead == pytest.approx(20 / 30)
    assert read_here("layer", nn.Hardswish(), -output).dead == pytest.approx(20 / 30)
    assert read_here("layer", nn.GELU(), output).dead == 0


def test_flat_ends_are_counted() -> None:
    output = torch.tensor([[0.99, -0.99, 0.0, 0.5]]).repeat(50_000, 1)
    assert read_here("layer", nn.Tanh(), output).saturated == pytest.approx(0.5, abs=0.02)


def test_hooks_are_there_for_one_pass_in_training() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    activations = Activations({"model": model})
    activations.arm()
    with torch.no_grad():
        model(torch.randn(2, 4))
    model(torch.randn(2, 4))
    assert activations.arrived() == []
    activations.disarm()
    model(torch.randn(2, 4))

    assert [output.name for output in activations.arrived()] == ["0", "1"]
    assert activations.arrived() == []
