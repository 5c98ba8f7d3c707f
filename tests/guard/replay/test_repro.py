"""A repro is a few lines of torch that were seen to fail."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from firstlight.guard.replay.repro import Call, literal, script_of, shrunk
from firstlight.observe.inside.localise import Birth, Localiser, ModulePath, Row, bad_row

Loss = Callable[[torch.Tensor], torch.Tensor]


def born(values: torch.Tensor, loss_of: Loss) -> Birth:
    leaf = values.clone().requires_grad_(True)
    path = ModulePath()
    localiser = Localiser(path.called, path)
    with localiser:
        loss = loss_of(leaf)
        if (found := localiser.origin(loss)) is None:
            loss.backward()
    assert leaf.grad is not None or found is not None
    birth = found or localiser.origin(leaf.grad if leaf.grad is not None else loss)
    assert birth is not None
    return birth


BIG = torch.randn(64, 32)
BIG[17, 5] = 0.0
CASES: dict[str, tuple[torch.Tensor, Loss, str]] = {
    "division": (BIG, lambda x: (1 / x.abs()).sum(), "torch.reciprocal(value)"),
    "logarithm": (BIG, lambda x: x.abs().log().sum(), "torch.log(value)"),
    "slope-of-a-root": (BIG, lambda x: x.abs().sqrt().sum(), "torch.sqrt(value)"),
    "product-in-half": (BIG * 1e3, lambda x: (x.half() @ x.half().t()).float().sum(), "torch.mm(value, mat2)"),
    "masked-row": (
        BIG,
        lambda x: x.masked_fill(torch.arange(64)[:, None] == 9, -torch.inf).softmax(1).sum(),
        "torch._softmax(value, 1, False)",
    ),
    "nothing-to-average": (
        BIG,
        lambda x: F.cross_entropy(x, torch.full((64,), -100)),
        "aten.nll_loss_forward.default",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_script_fails_as_it_says_and_is_small(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    values, loss, operation = CASES[name]
    text = script_of(born(values, loss), "what was seen")
    assert text is not None
    assert operation in text
    assert len(text.splitlines()) < 25
    assert len(text) < 2000
    with pytest.raises(SystemExit, match="it fails the same way"):
        exec(compile(text, "repro.py", "exec"), {})
    assert "nan" in (told := capsys.readouterr().out) or "inf" in told


def test_shrinking_keeps_what_fails() -> None:
    call = Call(torch.ops.aten.log.default, (BIG.abs(),), {})
    (small,) = shrunk(call, lambda c: bool((c.tensors[0] == 0).any())).tensors
    assert small.tolist() == [[0.0]]


def test_the_row_that_fails_is_kept_with_its_own_numbers() -> None:
    values = torch.arange(1.0, 161.0).reshape(40, 4)
    values[23, 1] = 0.0
    birth = born(values, lambda x: (1 / x).sum())
    assert bad_row(birth) == Row(23, 40)

    text = script_of(birth, "what was seen", ["train.py:9: 1 / x"])
    assert text is not None
    assert "torch.tensor([[93, 0, 95, 96]], dtype=torch.float32)" in text
    assert "train.py:9: 1 / x" in text


def test_rows_that_all_fail_are_not_told_apart() -> None:
    assert bad_row(born(torch.zeros(4, 2), lambda x: (1 / x).sum())) is None


def test_an_operation_that_does_not_fail_alone_gets_no_script() -> None:
    birth = born(BIG, lambda x: x.abs().log().sum())
    fine = Birth(
        phase="forward", made=birth.made.__class__(**{**vars(birth.made), "args": (torch.ones(3),)}), reason=None
    )
    assert script_of(fine, "") is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int64, torch.bool])
def test_a_large_tensor_is_packed_without_loss(dtype: torch.dtype) -> None:
    value = torch.randn(40, 20).to(dtype)
    text = literal(value)
    assert text.startswith("unpacked(")
    from firstlight.guard.replay.repro import PACKED

    space: dict[str, torch.Tensor] = {}
    exec(f"import base64, zlib, torch\n{PACKED}\nfound = {text}", space)
    assert torch.equal(space["found"], value)
