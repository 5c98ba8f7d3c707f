"""A repro is a few lines of torch that were seen to fail."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from firstlight.guard.replay.repro import Call, literal, script_of, shrunk
from firstlight.observe.inside.localise import Birth, Localiser, ModulePath

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
    "division": (BIG, lambda x: (1 / x.abs()).sum(), "aten.reciprocal.default"),
    "logarithm": (BIG, lambda x: x.abs().log().sum(), "aten.log.default"),
    "slope-of-a-root": (BIG, lambda x: x.abs().sqrt().sum(), "aten.sqrt.default"),
    "product-in-half": (BIG * 1e3, lambda x: (x.half() @ x.half().t()).float().sum(), "aten.mm.default"),
    "masked-row": (
        BIG,
        lambda x: x.masked_fill(torch.arange(64)[:, None] == 9, -torch.inf).softmax(1).sum(),
        "aten._softmax.default",
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
    assert len(text) < 1500
    with pytest.raises(SystemExit, match="it fails the same way"):
        exec(compile(text, "repro.py", "exec"), {})
    assert "nan" in (told := capsys.readouterr().out) or "inf" in told


def test_shrinking_keeps_what_fails() -> None:
    call = Call(torch.ops.aten.log.default, (BIG.abs(),), {})
    (small,) = shrunk(call, lambda c: bool((c.tensors[0] == 0).any())).tensors
    assert small.tolist() == [[0.0]]


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
