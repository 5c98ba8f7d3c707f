"""The script stopped with an error of its own.

## What it sees
The process ended with a non-zero exit code or a signal that firstlight did not send. The reported line is the last one
of the user's own code in the traceback. For well-known errors of torch, the usual cause is named.

## When it is fine
A script that needs standard input, or a file or device that is absent here, fails under check as it would without
firstlight.
"""

from dataclasses import dataclass

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.facts import ScriptOutcome


@dataclass(frozen=True, slots=True)
class Known:
    """An error that reveals its cause, or at least what to look at. Every one of `pieces` occurs in its message."""

    pieces: tuple[str, ...]
    cause: str
    confidence: float
    """How often this cause, and no other, is behind the message."""
    do: str


_CLASSES = "print `targets.min()` and `targets.max()`: they must lie in 0 … classes - 1, or equal `ignore_index`"
_IDS = "print `ids.max()` and the embedding's `num_embeddings`; for position embeddings, also the sequence length"
_SHAPES = "compare the last dimension of the layer's input with the layer's `in_features` or `input_size`"
_DTYPES = "convert where the dataset creates its tensors: `.float()` for inputs, `.long()` for class indices"
_MEMORY = "halve the batch size; if memory grows from step to step, look for losses kept with their graph"
_NORM = "set `drop_last=True` in the training loader, or replace batch norm with group norm for batches of one"
_GRAPH = "detach what is carried over between steps (a hidden state, a running loss), or sum before backward"
_CHECKPOINT = "build the model with the options it was saved with, and compare the names the error lists"
_LOGITS = "use `binary_cross_entropy_with_logits` on the raw scores, or look for NaN in them"
_INPLACE = "run once under `torch.autograd.set_detect_anomaly(True)`: it names the operation whose tensor was modified"
_DEVICES = "move model and batch with the same `.to(device)`; a tensor created in `forward` needs `device=x.device`"
_KILLED = "the system sends signal 9 when memory runs out: watch the memory, and try a smaller batch"
_UNUSED = "follow the parameters from `forward` to the loss: a `detach`, or an output that nothing reads, cuts them off"
_CUDA = "run once on the CPU, or with `CUDA_LAUNCH_BLOCKING=1`: the error then names its line"

KNOWN: tuple[Known, ...] = (
    Known(("Target ", " is out of bounds"), "data-label-range", 0.95, _CLASSES),
    Known(("t >= 0 && t < n_classes",), "data-label-range", 0.95, _CLASSES),
    Known(("index out of range in self",), "data-label-range", 0.85, _IDS),
    Known(("srcIndex < srcSelectDimSize",), "data-label-range", 0.85, _IDS),
    Known(("mat1 and mat2 shapes cannot be multiplied",), "data-schema", 0.6, _SHAPES),
    Known(("must be equal to input_size",), "data-schema", 0.6, _SHAPES),
    Known(("loading state_dict",), "train-checkpoint", 0.85, _CHECKPOINT),
    Known(("must have the same dtype",), "data-schema", 0.7, _DTYPES),
    Known(("Input type (double)", "should be the same"), "data-schema", 0.7, _DTYPES),
    Known(("Input type (unsigned char)", "should be the same"), "data-schema", 0.7, _DTYPES),
    Known(("expected target dtype to be Long",), "data-schema", 0.8, _DTYPES),
    Known(("expected scalar type", "but found"), "data-schema", 0.7, _DTYPES),
    Known(("nll_loss", "not implemented for"), "data-schema", 0.8, _DTYPES),
    Known(("out of memory",), "env-memory", 0.9, _MEMORY),
    Known(("DefaultCPUAllocator",), "env-memory", 0.9, _MEMORY),
    Known(("Expected more than 1 value per channel when training",), "arch-norm", 0.9, _NORM),
    Known(("backward through the graph a second time",), "train-state-leak", 0.8, _GRAPH),
    Known(("all elements of input should be between 0 and 1",), "loss-missing-activation", 0.75, _LOGITS),
    Known(("parameters that were not used in producing loss",), "loss-detached", 0.6, _UNUSED),
    Known(("modified by an inplace operation",), "unknown", 0.5, _INPLACE),
    Known(("Expected all tensors to be on the same device",), "unknown", 0.5, _DEVICES),
    Known(("device-side assert triggered",), "unknown", 0.5, _CUDA),
    Known(("killed by signal 9",), "unknown", 0.5, _KILLED),
)
"""The first one that matches applies."""


def find(outcome: ScriptOutcome, _limits: NoLimits) -> Found:
    if outcome.ended not in ("crashed", "killed"):
        return
    known = next((each for each in KNOWN if all(piece in outcome.message for piece in each.pieces)), None)
    trained = f"after {outcome.steps} training steps" if outcome.steps else "before the first training step"
    do = known.do if known is not None else None
    yield Evidence(
        where=at(outcome.site, step=outcome.steps or None),
        saw=f"{outcome.message or f'exit code {outcome.exit_code}'} ({trained})",
        wanted="a script that runs until it is stopped",
        cause=known.cause if known is not None else None,
        confidence=known.confidence if known is not None else None,
        do="firstlight runs the script without standard input: pass its input as arguments"
        if outcome.wants_input
        else do,
    )


CHECK = Check(
    id="FL002",
    summary="the script stopped with an error of its own",
    causes=(
        "unknown",
        "data-label-range",
        "data-schema",
        "env-memory",
        "arch-norm",
        "train-state-leak",
        "train-checkpoint",
        "loss-missing-activation",
        "loss-detached",
    ),
    likely="the error above; the same command without firstlight should show it too",
    fix="read the end of the script's output below, fix the error, and check again",
    severity=Severity.ERROR,
    confidence=0.5,
    find=find,
)
