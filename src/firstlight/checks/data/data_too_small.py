"""There are too few examples to learn from, or the loader leaves many of them out.

## What it sees
The split was read to its end. It has fewer examples than the limit, or the loader drops a large part of them because
the last batch is not full.

## When it is fine
A toy dataset that is meant to be memorized; lower the limit for it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Loaded


class Limits(Settable):
    train_examples: int = 30
    """Fewest training examples; below this, no statistic of a class or a feature means anything."""
    val_examples: int = 20
    """Fewest examples of any other split; each one is then five percent of the metric."""
    dropped_share: float = 0.2
    """Largest share of the examples that may be dropped; the last batch of a healthy loader loses less."""


def find(loaded: Loaded, limits: Limits) -> Found:
    if not loaded.whole:
        return
    least = limits.train_examples if loaded.split == "train" else limits.val_examples
    where = at(loaded.site, module=f"`{loaded.split}`", rank=loaded.rank)
    all_of_them = loaded.examples + loaded.dropped
    if loaded.dropped > limits.dropped_share * max(1, all_of_them):
        yield Evidence(
            where=where,
            saw=f"{loaded.dropped} of {all_of_them} examples are never read: the last batch is not full and is dropped",
            wanted=f"at most {limits.dropped_share:.0%} dropped",
            likely="`drop_last=True` with a batch size near the size of the dataset",
            do="use a smaller batch, or `drop_last=False`",
            numbers={"dropped": loaded.dropped, "examples": loaded.examples},
        )
    elif loaded.examples < least:
        yield Evidence(
            where=where,
            saw=f"only {loaded.examples} examples in {loaded.batches} batches",
            wanted=f"at least {least} examples",
            numbers={"examples": loaded.examples, "parameters": loaded.parameters},
        )


CHECK = Check(
    id="FL130",
    summary="there are too few examples to learn from",
    causes=("data-too-little",),
    likely="a filter or a split left hardly anything, or the wrong files are read",
    fix="print the number of examples after each step of the pipeline",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
