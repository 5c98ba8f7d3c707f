"""An example's output depends on the other examples of the batch.

## What it sees
In eval mode, one example's output changes when another example's input does: a reshape, transpose, softmax or
normalisation works across the batch. It is told on the line of the first operation that mixes them; one that scales all
examples alike, by numbers taken from all of them, is a normalisation; one that makes whole numbers by which something
is looked up counts places, over the batch instead of the sequence.

## When it is fine
Models that compare the examples of a batch on purpose (a matrix of similarities) are not probed; a set encoder that
attends across the batch is rare, and right to be allowed.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.timelines import Dependence


def find(dependence: Dependence, _limits: NoLimits) -> Found:
    if dependence.kind != "examples" or not dependence.others:
        return
    by = f", first by `{dependence.operation}`" if dependence.operation else ""
    cause, likely, do = _kind(dependence)
    yield Evidence(
        where=at(dependence.site, step=dependence.step, rank=dependence.rank),
        saw=f"one example's output depends on the inputs of {dependence.others} of the {dependence.of} others{by}",
        wanted="dependence on its own input alone, 0 others",
        cause=cause,
        likely=likely,
        do=do,
        numbers={"others": dependence.others, "of": dependence.of},
    )


def _kind(dependence: Dependence) -> tuple[str | None, str | None, str | None]:
    """Cause, likely and do, by the kind of call that mixes them."""
    if dependence.indexes:
        return (
            "arch-position",
            "places in a sequence are counted over the examples of the batch, and looked up",
            "count them along the sequence: another `dim` in the line above",
        )
    if dependence.normalises:
        return (
            "arch-norm",
            "values are normalised over the examples of the batch: axis 0 in place of the features'",
            "normalise over the features (`dim=-1`), or use a batch norm, which keeps statistics for evaluation",
        )
    return None, None, None


CHECK = Check(
    id="FL407",
    summary="an example's output depends on the other examples of the batch",
    causes=("arch-batch-mixing", "arch-norm", "arch-position"),
    likely="a `view` or `reshape` that merges the batch with another axis, a softmax over axis 0, "
    "or `batch_first` forgotten",
    fix="print the shapes through `forward`; the batch axis must come out where it went in, untouched",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
