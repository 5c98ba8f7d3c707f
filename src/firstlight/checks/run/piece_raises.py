"""A piece of the declared experiment fails as soon as it is used.

## What it sees
The model cannot be built or called, the loader is empty, fails or gives no tensors, the loss is not one number, the
optimizer or the schedule cannot be made, or memory runs out: told with the piece, the line and, for a shape error, the
module with what it takes and what it was given.

## When it is fine
Never: the long run would end at the same place, later.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Stumble

REMEDIES = {
    "train": "iterate over the loader by itself, and print the types of what one batch holds",
    "val": "iterate over the loader by itself, and print the types of what one batch holds",
    "batch": "pass `(inputs, target)`, one tensor, or a mapping of the model's arguments",
    "loss": "call the loss by itself on one output and one target, and return one number",
    "step": "call the function by itself with a new model and one batch, and return one number",
    "metric": "call the metric by itself on one output and one target, and return one number",
    "optimizer": "call the function by itself with a new model; it must return the optimizer",
    "scheduler": "call the function by itself with a new optimizer; it must return the schedule",
}

KNOWN = (
    (
        "does not require grad",
        "loss-detached",
        "compute the loss from the model's output, without `detach`, `item` or `no_grad` on the way",
    ),
    ("is out of bounds", "data-label-range", "print the smallest and the largest target: classes count from 0"),
    ("index out of range in self", "data-label-range", "print the largest id: it must be below the embedding's rows"),
    ("more than 1 value per channel", "arch-norm", "use `drop_last=True`, larger batches, or a layer norm"),
    ("must have the same dtype", "data-schema", "convert the batch to the weights' type, usually `float()`"),
    ("expected scalar type", "data-schema", "convert the target to the type the loss takes: `long()` for classes"),
)
"""Words of torch's own messages, what they mean, and what to do."""


def find(stumble: Stumble, _limits: NoLimits) -> Found:
    raised = f"raised {stumble.error}: {stumble.message}" if stumble.error else stumble.message
    mismatched = bool(stumble.given)
    do: str | None
    if stumble.memory:
        cause, do = "env-memory", "use a smaller batch or model, or free the device; `nvidia-smi` shows who holds it"
    elif mismatched:
        cause, do = "data-schema", f"make the batch and `{stumble.module}` agree: {stumble.given}"
    else:
        known = ((cause, do) for words, cause, do in KNOWN if words in stumble.message)
        cause, do = next(known, ("unknown", REMEDIES.get(stumble.piece)))
    yield Evidence(
        where=at(stumble.site, module=stumble.module, rank=stumble.rank),
        saw=f"`{stumble.piece}`, {stumble.doing}: {raised}" + (f" ({stumble.given})" if mismatched else ""),
        wanted=f"`{stumble.piece}` to work on the first real batch",
        cause=cause,
        do=do,
        numbers={"piece": stumble.piece, "error": stumble.error},
    )


CHECK = Check(
    id="FL030",
    summary="a piece of the experiment fails when it is used",
    causes=("unknown", "data-schema", "env-memory", "loss-detached", "data-label-range", "arch-norm"),
    likely="the pieces were never used together",
    fix="run the named piece by itself on one batch until it works",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
