"""A component of the declared experiment fails as soon as it is used.

## What it sees
The model cannot be built or called; the loader is empty, fails or yields no tensors; the loss is not a single number;
the optimizer or the schedule cannot be built; or memory runs out. The report names the component, the line and, for a
shape error, the module with the shape it expects and the shape it was given.

## When it is fine
Never: the long run would fail at the same place.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Stumble

REMEDIES = {
    "train": "iterate over the loader on its own, and print the types of what one batch contains",
    "val": "iterate over the loader on its own, and print the types of what one batch contains",
    "batch": "pass `(inputs, target)`, a single tensor, or a mapping of the model's arguments",
    "loss": "call the loss on its own with one output and one target; it must return a single number",
    "step": "call the function on its own with a new model and one batch; it must return a single number",
    "metric": "call the metric on its own with one output and one target; it must return a single number",
    "optimizer": "call the function on its own with a new model; it must return the optimizer",
    "scheduler": "call the function on its own with a new optimizer; it must return the schedule",
}

KNOWN = (
    (
        "does not require grad",
        "loss-detached",
        "compute the loss from the model's output, without `detach`, `item` or `no_grad` on the way",
    ),
    ("is out of bounds", "data-label-range", "print the smallest and the largest target: classes count from 0"),
    ("index out of range in self", "data-label-range", "print the largest id: it must be below `num_embeddings`"),
    ("more than 1 value per channel", "arch-norm", "use `drop_last=True`, larger batches, or a layer norm"),
    ("must have the same dtype", "data-schema", "convert the batch to the weights' type, usually with `float()`"),
    ("expected scalar type", "data-schema", "convert the target to the type the loss expects: `long()` for classes"),
)
"""Phrases from torch's own messages, with their cause and what to do."""


def find(stumble: Stumble, _limits: NoLimits) -> Found:
    raised = f"raised {stumble.error}: {stumble.message}" if stumble.error else stumble.message
    mismatched = bool(stumble.given)
    do: str | None
    if stumble.memory:
        cause, do = "env-memory", "use a smaller batch or model, or free the device; `nvidia-smi` shows what uses it"
    elif mismatched:
        cause, do = "data-schema", f"make the batch and `{stumble.module}` agree: {stumble.given}"
    else:
        known = ((cause, do) for words, cause, do in KNOWN if words in stumble.message)
        cause, do = next(known, ("unknown", REMEDIES.get(stumble.piece)))
    yield Evidence(
        where=at(stumble.site, module=stumble.module, rank=stumble.rank),
        saw=f"`{stumble.piece}`, {stumble.doing}: {raised}" + (f" ({stumble.given})" if mismatched else ""),
        wanted=f"`{stumble.piece}` works on the first real batch",
        cause=cause,
        do=do,
        numbers={"piece": stumble.piece, "error": stumble.error},
    )


CHECK = Check(
    id="FL030",
    summary="a component of the experiment fails as soon as it is used",
    causes=("unknown", "data-schema", "env-memory", "loss-detached", "data-label-range", "arch-norm"),
    likely="the components have never been used together",
    fix="run the named component on its own with one batch until it works",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
