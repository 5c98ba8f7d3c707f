"""The same seeds give the same weights, to the bit, with and without the guard."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tests.guard.loops import KINDS, Training, mlp, sgd

import firstlight as fl
from firstlight.guard.inside import install
from firstlight.guard.options import Options


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_weights_are_bit_identical(kind: Callable[[], Training], tmp_path: Path) -> None:
    bare = kind().run()
    training = kind()
    with fl.guard(*training.parts, directory=tmp_path, cost=None, every=3) as guard:
        watched = training.run()

    assert guard.shield.broken == {}
    assert guard.trips == []
    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))
    assert guard.step > 0
    assert [row.grad_norm for row in guard.window if not row.skipped][-1]


def test_predictions_on_a_fixed_batch_disturb_nothing(tmp_path: Path) -> None:
    """Neither the random state, nor the modes, nor the statistics of normalisations."""
    bare = sgd().run(20)
    training = sgd()
    inputs = torch.zeros(4, 8)
    with fl.guard(
        *training.parts, directory=tmp_path, cost=None, every=2, fixed_batch=(inputs, torch.tensor([0, 1, 2, 0]))
    ):
        watched = training.run(20)

    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))
    assert all(module.training for module in training.model.modules())


def test_from_outside_too(tmp_path: Path) -> None:
    bare = sgd().run()
    inside = install(Options(directory=tmp_path, cost=None, every=3))
    watched = sgd().run()
    inside.remove()

    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))
    assert inside.guard.watches[0].subjects.names[0] == "0.weight"


def test_a_compiled_model_keeps_its_graph(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = mlp().eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, directory=tmp_path, cost=None, every=2) as guard:
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        for _ in range(6):
            optimizer.zero_grad()
            compiled(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()

    assert guard.shield.broken == {}
    assert torch._dynamo.utils.counters["graph_break"] == {}
    assert len(guard.window) == 6


def test_everything_is_put_back(tmp_path: Path) -> None:
    before = (torch.autograd.backward, torch.amp.GradScaler.step, torch.nn.utils.clip_grad.clip_grad_norm_)
    training = sgd()
    optimizer = training.parts[1]
    guard = fl.guard(*training.parts, directory=tmp_path, cost=None, every=2)
    training.run(5)
    guard.close()

    assert (torch.autograd.backward, torch.amp.GradScaler.step, torch.nn.utils.clip_grad.clip_grad_norm_) == before
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    assert not any(module._forward_hooks for module in training.model.modules())


def test_disabled_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLIGHT_DISABLED", "1")
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        guard.log(loss=1.0)
        training.run()

    assert guard.step == 0
    assert list(tmp_path.iterdir()) == []
