from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.piece_raises import CHECK
from firstlight.records.declared import Stumble
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

RAISED = Stumble(
    piece="model",
    doing="calling it with a batch",
    error="RuntimeError",
    message="mat1 and mat2 shapes cannot be multiplied (32x10 and 12x32)",
    site=Site(file="train.py", line=7),
    module="encode.0",
    given="Linear takes features 12 and was given float32 (32, 10)",
)


def found(**changes: Any) -> Evidence:
    (evidence,) = CHECK.find(replace(RAISED, **changes), CHECK.limits)
    return evidence


def test_tells_piece_line_module_and_what_it_takes() -> None:
    evidence = found()

    assert evidence.saw.startswith("`model`, calling it with a batch: raised RuntimeError: mat1")
    assert evidence.saw.endswith("(Linear takes features 12 and was given float32 (32, 10))")
    assert (evidence.where.file, evidence.where.line, evidence.where.module) == ("train.py", 7, "encode.0")
    assert evidence.cause == "data-schema"
    assert "`encode.0`" in (evidence.do or "")


def test_what_is_merely_unusable_raised_nothing() -> None:
    evidence = found(error="", message="it gave (4,) values, not one number", piece="loss", given="", module=None)

    assert "raised" not in evidence.saw
    assert evidence.cause == "unknown"
    assert evidence.do == "call the loss on its own with one output and one target; it must return a single number"


def test_memory_is_its_own_cause() -> None:
    assert found(memory=True).cause == "env-memory"


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("element 0 of tensors does not require grad and does not have a grad_fn", "loss-detached"),
        ("Target 7 is out of bounds.", "data-label-range"),
        ("index out of range in self", "data-label-range"),
        ("Expected more than 1 value per channel when training, got input size torch.Size([1, 8])", "arch-norm"),
        ("mat1 and mat2 must have the same dtype, but got Double and Float", "data-schema"),
        ("expected scalar type Long but found Float", "data-schema"),
        ("division by zero", "unknown"),
    ],
)
def test_what_torch_says_names_its_cause(message: str, cause: str) -> None:
    evidence = found(message=message, given="", module=None)

    assert evidence.cause == cause
    assert (evidence.do is None) == (cause == "unknown")
