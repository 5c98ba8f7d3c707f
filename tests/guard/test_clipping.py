"""`guard.clip_grad_norm_` where there is no device to ride on: torch's own, bit for bit, and told of all the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl

Clip = Callable[..., torch.Tensor]


def small() -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 3))
    return model, torch.optim.AdamW(model.parameters(), lr=0.01)


def train(clip: Clip, model: nn.Module, optimizer: torch.optim.Optimizer, **keywords: Any) -> list[float]:
    torch.manual_seed(1)
    norms = []
    for _ in range(6):
        x, y = torch.randn(16, 8), torch.randint(3, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        norms.append(clip(model.parameters(), 0.2, **keywords).item())
        optimizer.step()
    return norms


@pytest.mark.parametrize("keywords", [{}, {"norm_type": 1.0}, {"error_if_nonfinite": True}], ids=str)
def test_it_is_torchs_own(keywords: dict[str, Any], tmp_path: Path) -> None:
    plain, optimizer = small()
    wanted = train(nn.utils.clip_grad_norm_, plain, optimizer, **keywords)
    model, optimizer = small()
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        assert train(guard.clip_grad_norm_, model, optimizer, **keywords) == wanted

    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), model.parameters(), strict=True))
    assert [row.clip_at for row in guard.window] == [0.2] * 6


def test_it_works_switched_off_and_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model, optimizer = small()
    guard = fl.guard(model, optimizer, directory=tmp_path)
    guard.close()
    assert len(train(guard.clip_grad_norm_, model, optimizer)) == 6
    monkeypatch.setenv("FIRSTLIGHT_DISABLED", "1")
    assert len(train(fl.guard(model, optimizer).clip_grad_norm_, model, optimizer)) == 6


def test_one_parameter_may_be_given_by_itself(tmp_path: Path) -> None:
    parameter = nn.Parameter(torch.ones(4))
    parameter.grad = torch.full((4,), 3.0)
    with fl.guard(torch.optim.SGD([parameter], lr=0.1), directory=tmp_path) as guard:
        assert guard.clip_grad_norm_(parameter, 1.0).item() == pytest.approx(6.0)
    assert parameter.grad.norm().item() == pytest.approx(1.0, rel=1e-4)
