"""Rows agree with double precision, on every path that runs here."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from firstlight.guard.statistics.foreach import ForeachPass
from firstlight.guard.statistics.host import TURNS, HostPass, flat, row_of
from firstlight.guard.statistics.rows import HIGH, L2, NONFINITE, UPDATE, Scalars, Tensors, stride_of
from firstlight.guard.statistics.split import SplitPass

FLOATS = st.one_of(st.floats(-1e6, 1e6, width=32), st.sampled_from([0.0, math.nan, math.inf, -math.inf]))


@given(st.lists(FLOATS, min_size=1, max_size=60))
def test_a_row_is_right_whatever_the_values(values: list[float]) -> None:
    tensor = torch.tensor(values)
    kept = tensor[torch.isfinite(tensor)].double()
    row = row_of(tensor)

    assert row[NONFINITE] == len(values) - kept.numel()
    if kept.numel():
        scale = max(1e-6, float(kept.abs().max()))
        std = float(kept.std()) if kept.numel() > 1 else 0.0
        assert row[:5] == pytest.approx(
            [float(kept.mean()), std, float(kept.norm()), float(kept.min()), float(kept.max())],
            rel=1e-3,
            abs=2e-3 * scale,
        )
        assert row[6] == pytest.approx(float((kept == 0).sum()) / len(values))


def test_the_spread_of_a_gain_near_one_keeps_its_digits() -> None:
    """After the first look sums are taken about the last mean."""
    torch.manual_seed(0)
    gain = 1 + 1e-5 * torch.randn(4096)
    passes = HostPass([gain])
    for step in range(TURNS + 1):
        passes.launch(step, Tensors([gain], [gain]), Scalars())
    frames = [passes.poll() for _ in range(TURNS + 1)]

    assert frames[-1] is not None
    assert frames[-1].gradients[0, 1].item() == pytest.approx(gain.double().std().item(), rel=1e-3)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(4, 6).t(),
        torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.randn(6, 8)[:, ::2],
        torch.ones(1).expand(7),
        torch.randn(5).bfloat16(),
        torch.randn(3, dtype=torch.complex64),
    ],
    ids=["transposed", "channels_last", "strided", "expanded", "bfloat16", "complex"],
)
def test_flat_holds_every_element_once(tensor: torch.Tensor) -> None:
    wanted = tensor.abs() if tensor.is_complex() else tensor.float()

    assert sorted(flat(tensor).tolist()) == pytest.approx(sorted(wanted.reshape(-1).tolist()))


@pytest.mark.parametrize(
    "make", [HostPass, ForeachPass, lambda w: SplitPass(w, HostPass)], ids=["host", "foreach", "split"]
)
def test_updates_absent_gradients_and_scalars(make: type) -> None:
    torch.manual_seed(0)
    weights = [torch.randn(500, 7), torch.randn(9)]
    passes = make(weights)
    gradient = torch.randn(500, 7)
    frames = []
    for step in range(3):
        passes.launch(step, Tensors([gradient, None], weights), Scalars(loss=torch.tensor(0.5)))
        frames.append(passes.poll())
        weights[0].mul_(1.01)

    last = frames[-1]
    assert last.scalars == (0.5, None, None)
    assert last.present == (True, False)
    assert last.gradients[0, L2].item() == pytest.approx(gradient.norm().item(), rel=1e-5)
    assert last.gradients[0, HIGH].item() >= gradient.max().item() - 1e-6
    assert last.gradients[1, L2].item() == 0
    assert math.isnan(frames[0].weights[0, UPDATE].item())
    assert last.weights[0, UPDATE].item() == pytest.approx(0.01 / 1.01, rel=1e-2)
    assert last.weights[1, UPDATE].item() == 0


@given(numel=st.integers(1, 10**9))
def test_samples_do_not_keep_to_a_few_columns(numel: int) -> None:
    stride = stride_of(numel)

    assert stride % 2 == 1
    assert 1023 * stride < max(numel, 1024)
