"""The first operation that leaves the finite numbers is named, and the reason with it."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from firstlight.observe.inside.localise import Birth, Localiser, ModulePath, told

Loss = Callable[[torch.Tensor], torch.Tensor]


def first(values: torch.Tensor, loss_of: Loss, model: nn.Module | None = None) -> Birth | None:
    """Runs forward and, where the loss is finite, backward; gives what the loss or the gradient is traced to."""
    leaf = values.clone().requires_grad_(True)
    path = ModulePath()
    handles = path.follow()
    try:
        localiser = Localiser(path.called, path)
        with localiser:
            loss = loss_of(leaf) if model is None else loss_of(model(leaf))
            if (found := localiser.origin(loss)) is not None:
                return found
            loss.backward()
            return localiser.origin(leaf.grad) if leaf.grad is not None else None
    finally:
        for handle in handles:
            handle.remove()


ZEROS = torch.zeros(3)
CASES: dict[str, tuple[torch.Tensor, Loss, str, str, str]] = {
    "log-of-zero": (ZEROS, lambda x: x.log().sum(), "forward", "log", "`log` of 3 zero(s)"),
    "log-of-negative": (-torch.ones(2), lambda x: x.log().sum(), "forward", "log", "`log` of 2 negative value(s)"),
    "zero-over-zero": (ZEROS, lambda x: (x / x.sum()).sum(), "forward", "div", "a division by 1 exact zero(s)"),
    "root-at-zero": (ZEROS, lambda x: x.sqrt().sum(), "backward", "sqrt", "`sqrt` at 3 exact zero(s)"),
    "norm-by-hand": (ZEROS, lambda x: (x**2).sum() ** 0.5, "backward", "pow", "a power at 1 zero(s)"),
    "hidden-by-where": (ZEROS, lambda x: torch.where(x > 0, x.log(), x).sum(), "backward", "log", "`log` at 3 zero(s)"),
    "exp": (torch.full((2,), 100.0), lambda x: x.exp().sum(), "forward", "exp", "`exp` overflows in 2 place(s)"),
    "in-place": (ZEROS, lambda x: (x + 0).log_().sum(), "forward", "log", "`log` of 3 zero(s)"),
    "half-range": (
        torch.full((2,), 300.0),
        lambda x: (x.half() * x.half()).sum(),
        "forward",
        "mul",
        "range of float16",
    ),
    "half-cast": (torch.full((2,), 7e4), lambda x: x.half().sum(), "forward", "to_copy", "range of float16"),
    "half-sum": (torch.full((3,), 4e4), lambda x: x.half().sum(), "forward", "sum", "range of float16"),
    "overflow": (torch.full((2,), 1e30), lambda x: (x * x).sum(), "forward", "mul", "range of float32"),
    "masked-row": (
        torch.randn(2, 3),
        lambda x: x.masked_fill(torch.tensor([[True], [False]]), -torch.inf).softmax(1).sum(),
        "forward",
        "softmax",
        "`softmax` over 1 row(s) that are -inf throughout",
    ),
    "all-ignored": (
        torch.randn(4, 5),
        lambda x: F.cross_entropy(x, torch.full((4,), -100)),
        "forward",
        "nll_loss_forward",
        "every target of the batch is `ignore_index`",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_operation_and_its_reason_are_named(name: str) -> None:
    values, loss, phase, operation, words = CASES[name]
    birth = first(values, loss)
    assert birth is not None
    record = told(birth, step=7, rank=0)
    assert (record.phase, record.operation, record.step) == (phase, operation, 7)
    assert words in record.words
    assert record.site is not None
    assert record.site.file.endswith("test_localise.py")


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param(lambda x: x.square().mean(), id="plain"),
        pytest.param(
            lambda x: x.masked_fill(torch.eye(3, dtype=torch.bool), -torch.inf).softmax(1).sum(), id="masked-attention"
        ),
        pytest.param(lambda x: x.masked_fill(x < 9, -torch.inf).max(), id="an-infinity-that-was-meant"),
        pytest.param(
            lambda x: torch.nan_to_num((x * 0).detach().log(), neginf=0).sum() + x.sum(), id="repaired-at-once"
        ),
    ],
)
def test_a_step_that_stays_finite_where_it_matters_blames_nothing(loss: Loss) -> None:
    assert first(torch.randn(3, 3), loss) is None


def test_the_module_is_named_by_its_path() -> None:
    class Head(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.mul(0).log()

    model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), Head()))
    birth = first(torch.randn(2, 4), lambda out: out.sum(), model)
    assert birth is not None
    assert birth.made.module == "1.1"


def test_a_weight_that_was_bad_before_is_named_instead_of_an_operation() -> None:
    linear = nn.Linear(4, 4)
    with torch.no_grad():
        linear.weight[1, 2] = torch.nan
    model = nn.Sequential(linear, nn.ReLU())
    birth = first(torch.randn(2, 4), lambda out: out.sum(), model)
    assert birth is not None
    assert (birth.phase, birth.name) == ("given", "0.weight")


def test_what_the_operation_was_given_is_described() -> None:
    birth = first(torch.tensor([1.0, 0.0]), lambda x: x.log().sum())
    assert birth is not None
    (given,) = told(birth, step=0, rank=0).inputs
    assert (given.name, given.tensor.shape, given.tensor.low, given.tensor.high) == ("self", (2,), 0.0, 1.0)


def test_following_a_step_changes_no_value() -> None:
    def run(followed: bool) -> torch.Tensor:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))
        optimizer = torch.optim.Adam(model.parameters())
        path = ModulePath()
        mode = Localiser(path.called, path)
        for _ in range(3):
            loss = model(torch.randn(6, 4)).square().mean()
            if followed:
                with mode:
                    loss.backward()
            else:
                loss.backward()
            optimizer.step()
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    assert torch.equal(run(True), run(False))
