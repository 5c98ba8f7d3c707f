"""Log-determinants known by their values, in losses that want more of them or less."""

import pytest
import torch
from tests.observe.inside.tape.tapes import taped
from torch import Tensor, nn

from firstlight.observe.inside.tape.tail import tail_of
from firstlight.observe.inside.tape.volume import volumes
from firstlight.records.taped import VolumeSeen


class Masked(nn.Module):
    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.mask = mask
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        s, t = self.net(x * self.mask).chunk(2, 1)
        s, t = torch.tanh(s) * (1 - self.mask), t * (1 - self.mask)
        return x * s.exp() + t, s.sum(1)


class Mixed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Parameter(torch.eye(4) + 0.1 * torch.randn(4, 4))
        self.net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        left, right = (x @ self.turn).chunk(2, 1)
        scale, shift = self.net(left).chunk(2, 1)
        scale = scale.sigmoid() + 0.5
        size = torch.linalg.slogdet(self.turn)[1] + scale.log().sum(1)
        return torch.cat([left, right * scale + shift], 1), size


class Planar(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.u, self.w = nn.Parameter(0.3 * torch.randn(4)), nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        bent = torch.tanh(x @ self.w)
        return x + self.u * bent[:, None], (1 + (1 - bent.square()) * (self.u @ self.w)).abs().log()


def seen(layers: list[nn.Module], sign: float, noisy: float = 0.0) -> list[VolumeSeen]:
    with taped() as recorder:
        recorder.whole = True
        z, size = torch.randn(300, 4)[torch.arange(64)], torch.zeros(64)
        for layer in layers:
            z, more = layer(z)
            size = size + more
        if noisy:
            size = size * (1 + noisy * z[:, 0].sin())
        value = -(-0.5 * z.square().sum(1) + sign * size).mean()
    found = tail_of(recorder, value)
    assert found is not None
    return list(volumes(found))


def flow(kind: str) -> list[nn.Module]:
    torch.manual_seed(0)
    if kind == "masked":
        return [Masked((torch.arange(4) % 2 == at % 2).float()) for at in range(4)]
    return [Mixed() for _ in range(3)] if kind == "mixed" else [Planar() for _ in range(2)]


@pytest.mark.parametrize("kind", ["masked", "mixed", "planar"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_likelihood_falls_with_what_it_should_rise_with(kind: str, sign: float) -> None:
    (found,) = seen(flow(kind), sign)
    assert found.pull == pytest.approx(-sign, abs=1e-4)
    assert (found.columns, found.examples) == (4, 64)


def test_what_is_no_determinant_is_not_told() -> None:
    assert seen(flow("masked"), 1.0, noisy=0.5) == []


def test_a_plain_regression_has_none() -> None:
    net = nn.Linear(4, 4)
    with taped() as recorder:
        recorder.whole = True
        x = torch.randn(64, 4)
        value = (net(x).tanh() - x).square().sum(1).mean()
    found = tail_of(recorder, value)
    assert found is not None
    assert list(volumes(found)) == []
