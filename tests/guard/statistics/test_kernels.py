"""The Triton kernels, in Triton's interpreter: the same source as on a device, one program after another."""

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.statistics.rows import HIGH, L2, LOW, MEAN, NONFINITE, STD, ZEROS, Frame, Scalars, Tensors

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None or torch.cuda.is_available(),
    reason="needs Triton's interpreter; with a CUDA device tests/gpu runs the kernels themselves",
)
CHUNK = 32768


def some() -> list[torch.Tensor]:
    """Tails, one element, more than a chunk, off the 16-byte grid, half precision, not dense."""
    torch.manual_seed(0)
    storage = torch.randn(3_000)
    return [
        torch.randn(1),
        torch.randn(7),
        storage[1:1_999],
        torch.randn(CHUNK + 70),
        1 + 1e-4 * torch.randn(500),
        torch.zeros(40),
        torch.randn(4, 3, 5, 5).to(memory_format=torch.channels_last),
        torch.randn(1_001).bfloat16(),
        torch.randn(700).half(),
    ]


def look(gradients: list[torch.Tensor | None], weights: list[torch.Tensor]) -> Frame:
    from firstlight.guard.statistics.device import DevicePass

    passes = DevicePass(weights)
    for step in range(2):  # sums are taken about the means of the look before
        passes.launch(step, Tensors(gradients, weights), Scalars())
    passes.poll()
    frame = passes.poll()
    assert frame is not None
    return frame


def clipped(gradients: list[torch.Tensor], max_norm: float) -> tuple[torch.Tensor | None, Frame | None]:
    from firstlight.guard.statistics.device import DevicePass

    weights = [torch.randn_like(gradient) for gradient in gradients]
    passes = DevicePass(weights)
    norm = passes.clip(0, Tensors(gradients, weights), Scalars(), max_norm)
    return norm, passes.poll()


def by_torch(gradients: list[torch.Tensor], max_norm: float) -> tuple[float, list[torch.Tensor]]:
    parameters = [nn.Parameter(gradient.detach().double().clone()) for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.double().clone()
    norm = nn.utils.clip_grad_norm_(parameters, max_norm).item()
    return norm, [parameter.grad for parameter in parameters if parameter.grad is not None]


def test_rows_agree_with_double_precision() -> None:
    weights = some()
    frame = look([weight.clone() * 3 for weight in weights], weights)

    for row, weight in zip(frame.weights.tolist(), weights, strict=True):
        values = weight.double().flatten()
        scale = float(values.abs().max()) or 1.0
        std = float(values.std()) if values.numel() > 1 else 0.0
        assert row[MEAN] == pytest.approx(float(values.mean()), abs=1e-5 * scale)
        assert row[STD] == pytest.approx(std, rel=1e-3, abs=1e-6 * scale)
        assert row[L2] == pytest.approx(float(values.norm()), rel=1e-5)
        assert row[LOW : HIGH + 1] == pytest.approx([float(values.min()), float(values.max())])
        assert row[NONFINITE] == 0
        assert row[ZEROS] == pytest.approx(float((values == 0).double().mean()))


def test_bad_elements_are_counted_and_left_out() -> None:
    gradient = torch.randn(CHUNK + 100)
    gradient[3], gradient[70], gradient[-1] = math.nan, math.inf, -math.inf
    frame = look([gradient, None], [torch.randn(CHUNK + 100), torch.randn(9)])
    kept = gradient[torch.isfinite(gradient)].double()

    assert frame.gradients[0, NONFINITE].item() == 3
    assert frame.gradients[0, L2].item() == pytest.approx(float(kept.norm()), rel=1e-5)
    assert frame.present == (True, False)
    assert frame.gradients[1].tolist() == [0.0] * 8


@pytest.mark.parametrize("share", [0.3, 0.999, 1.001, 10.0])
def test_clipping_does_what_torch_does(share: float) -> None:
    gradients = some()
    before = [gradient.clone() for gradient in gradients]
    true, wanted = by_torch(gradients, 1.0)
    max_norm = share * true
    _, wanted = by_torch(gradients, max_norm)
    norm, frame = clipped(gradients, max_norm)

    assert norm is not None
    assert frame is not None
    assert norm.item() == pytest.approx(true, rel=1e-5)
    assert frame.scalars[2] == pytest.approx(true, rel=1e-5)
    for gradient, was, want in zip(gradients, before, wanted, strict=True):
        assert torch.allclose(gradient.double(), want, rtol=1e-2 if gradient.element_size() == 2 else 1e-5, atol=1e-6)
        assert share < 1 or torch.equal(gradient, was)
    lengths = [float(was.double().norm()) for was in before]
    assert frame.gradients[:, L2].tolist() == pytest.approx(lengths, rel=1e-5)  # from before the clipping


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of the interpreter, at infinity times zero
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_clipping_what_is_not_finite(bad: float) -> None:
    gradients = [torch.randn(50), torch.randn(20)]
    gradients[0][7] = bad
    true, wanted = by_torch(gradients, 1.0)
    norm, frame = clipped(gradients, 1.0)

    assert norm is not None
    assert frame is not None
    assert norm.item() == pytest.approx(true, nan_ok=True)
    assert all(torch.allclose(g.double(), w, equal_nan=True) for g, w in zip(gradients, wanted, strict=True))
    assert frame.gradients[:, NONFINITE].tolist() == [1, 0]
    assert torch.isfinite(frame.gradients).all()


def test_gradients_that_lie_another_way_are_left_to_torch() -> None:
    from firstlight.guard.statistics.device import DevicePass

    weights = [torch.randn(10), torch.randn(6, 8)]
    gradients = [torch.randn(10), torch.randn(6, 16)[:, ::2]]
    passes = DevicePass(weights)

    assert passes.clip(0, Tensors(gradients, weights), Scalars(), 0.1) is None
    assert passes.poll() is None


def train(clip: Callable[[Any, float], Any], model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Every third batch is clipped and thrown away."""
    torch.manual_seed(1)
    for number in range(9):
        x, y = torch.randn(16, 8), torch.randint(3, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        clip(model.parameters(), 0.2)
        if number % 3 != 1:
            optimizer.step()


def small() -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 3))
    return model, torch.optim.SGD(model.parameters(), lr=0.5)


def test_a_guard_clips_as_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firstlight.guard.statistics import choose, device

    monkeypatch.setattr(choose, "_on_one", device.DevicePass)
    plain, optimizer = small()
    train(nn.utils.clip_grad_norm_, plain, optimizer)
    model, optimizer = small()
    with fl.guard(model, optimizer, directory=tmp_path, capture=None) as guard:
        train(guard.clip_grad_norm_, model, optimizer)

    assert guard.shield.broken == {}
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(plain.parameters(), model.parameters(), strict=True))
    rows = list(guard.window)
    assert [row.step for row in rows] == list(range(6))
    assert all(row.clip_at == 0.2 and row.clip_norm == pytest.approx(row.grad_norm, rel=1e-5) for row in rows)
