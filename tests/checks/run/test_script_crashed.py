from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.run.script_crashed import CHECK
from firstlight.records.facts import ScriptOutcome
from firstlight.records.finding import Evidence
from firstlight.records.places import Site

CRASHED = ScriptOutcome(
    ended="crashed",
    exit_code=1,
    seconds=2.5,
    backwards=15,
    steps=15,
    message="RuntimeError: Expected hidden size (1, 20, 16), got [1, 32, 16]",
    site=Site(file="train.py", line=19),
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(CRASHED, **changes), CHECK.limits))


def test_tells_the_error_its_line_and_how_far_training_came() -> None:
    (evidence,) = found()

    assert evidence.saw == f"{CRASHED.message} (after 15 training steps)"
    assert evidence.wanted == "a script that runs until it is stopped"
    assert (evidence.where.file, evidence.where.line, evidence.where.step) == ("train.py", 19, 15)
    assert evidence.do is None


def test_before_training_there_is_no_step() -> None:
    (evidence,) = found(steps=0, backwards=0)

    assert "before the first training step" in evidence.saw
    assert evidence.where.step is None


def test_a_signal_leaves_no_message_but_a_code() -> None:
    (evidence,) = found(ended="killed", exit_code=-9, message="")

    assert evidence.saw.startswith("exit code -9")


def test_a_script_that_waits_for_input_is_told_so() -> None:
    (evidence,) = found(wants_input=True)

    assert evidence.do is not None
    assert "standard input" in evidence.do


@pytest.mark.parametrize("ended", ["stopped", "finished", "silent"])
def test_other_endings_are_not_crashes(ended: str) -> None:
    assert found(ended=ended) == []


@pytest.mark.parametrize(
    ("message", "cause", "hint"),
    [
        ("IndexError: Target 10 is out of bounds.", "data-label-range", "`targets.max()`"),
        (
            "AcceleratorError: CUDA error: device-side assert triggered: Assertion `t >= 0 && t < n_classes` failed",
            "data-label-range",
            "`targets.max()`",
        ),
        ("IndexError: index out of range in self", "data-label-range", "`num_embeddings`"),
        (
            "CUDA error: device-side assert triggered: Assertion `srcIndex < srcSelectDimSize` failed",
            "data-label-range",
            "`num_embeddings`",
        ),
        ("AcceleratorError: CUDA error: device-side assert triggered", "unknown", "CUDA_LAUNCH_BLOCKING"),
        (
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x20 and 21x64)",
            "data-schema",
            "`in_features`",
        ),
        ("RuntimeError: Error(s) in loading state_dict for Net:", "train-checkpoint", "saved with"),
        ("RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float", "data-schema", "`.float()`"),
        ("RuntimeError: Input type (double) and bias type (float) should be the same", "data-schema", "`.float()`"),
        ("RuntimeError: \"nll_loss_out_frame\" not implemented for 'Int'", "data-schema", "`.long()`"),
        (
            "RuntimeError: Input type (unsigned char) and bias type (float) should be the same",
            "data-schema",
            "`.float()`",
        ),
        ("RuntimeError: expected target dtype to be Long or Byte, but got Float", "data-schema", "`.long()`"),
        (
            "RuntimeError: input.size(-1) must be equal to input_size. Expected 4, got 5",
            "data-schema",
            "`in_features`",
        ),
        ("RuntimeError: expected scalar type Long but found Float", "data-schema", "`.long()`"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "env-memory", "batch size"),
        ("RuntimeError: [enforce fail at alloc_cpu.cpp:118] . DefaultCPUAllocator: can't", "env-memory", "batch size"),
        (
            "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 8])",
            "arch-norm",
            "`drop_last=True`",
        ),
        (
            "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors)",
            "train-state-leak",
            "detach",
        ),
        ("RuntimeError: all elements of input should be between 0 and 1", "loss-missing-activation", "raw scores"),
        (
            "RuntimeError: one of the variables needed for gradient computation was modified by an inplace operation",
            "unknown",
            "set_detect_anomaly",
        ),
        (
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and",
            "unknown",
            "`.to(device)`",
        ),
    ],
)
def test_a_well_known_error_is_translated(message: str, cause: str, hint: str) -> None:
    (evidence,) = found(message=message)

    assert evidence.cause == cause
    assert evidence.do is not None
    assert hint in evidence.do
    assert evidence.confidence is not None
    assert (evidence.confidence > CHECK.confidence) == (cause != "unknown")


def test_a_kill_for_memory_is_said_to_be_one_perhaps() -> None:
    (evidence,) = found(ended="killed", exit_code=-9, message="killed by signal 9")

    assert evidence.cause == "unknown"
    assert evidence.do is not None
    assert "memory" in evidence.do


@pytest.mark.parametrize(
    "message", ["ValueError: Target is missing", "KeyError: 'memory'", "the list is out of bounds"]
)
def test_other_errors_are_left_unexplained(message: str) -> None:
    (evidence,) = found(message=message)

    assert (evidence.cause, evidence.confidence, evidence.do) == (None, None, None)
