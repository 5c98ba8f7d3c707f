"""An example's output depends on the other examples of the batch.

## What it sees
In eval mode, one example's output changes when another example's input does: a reshape, transpose, softmax or
normalization works across the batch. It is reported on the line of the first operation that mixes them. If that
operation scales all examples alike within the model, by numbers computed from all of them, it is taken for a
normalization; if outputs are probabilities that sum to one over the examples, the softmax has the wrong axis; if it
makes integers used for a lookup, it is taken to count positions over the batch instead of the sequence. If a model
returns several outputs, each that the loss takes is asked.

## When it is fine
Models that compare the examples of a batch on purpose (a matrix of similarities) are not probed. A set encoder that
attends across the batch is rare; allow the finding there.
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
        wanted="an output that depends on its own input alone",
        cause=cause,
        likely=likely,
        do=do,
        numbers={"others": dependence.others, "of": dependence.of},
    )


def _kind(dependence: Dependence) -> tuple[str | None, str | None, str | None]:
    """The cause, `likely` and `do`, by the kind of call that mixes the examples."""
    if dependence.indexes:
        return (
            "arch-position",
            "positions are counted over the examples of the batch instead of the sequence, and then looked up",
            "count them along the sequence, with another `dim` in the line above",
        )
    if dependence.shares and dependence.last:
        return (
            "loss-dim",
            "the outputs are probabilities that sum to one over the examples of the batch, not over the classes",
            "take the softmax over the classes (`dim=-1`)",
        )
    if dependence.normalises and not (dependence.shares or dependence.last):
        return (
            "arch-norm",
            "values are normalized over the examples of the batch: axis 0 instead of the feature axis",
            "normalize over the features (`dim=-1`), or use a batch norm, which keeps statistics for evaluation",
        )
    return None, None, None


CHECK = Check(
    id="FL407",
    summary="an example's output depends on the other examples of the batch",
    causes=("arch-batch-mixing", "arch-norm", "arch-position", "loss-dim"),
    likely="a `view` or `reshape` merges the batch with another axis, a softmax runs over axis 0, or `batch_first` was "
    "forgotten",
    fix="print the shapes through `forward`: the batch axis must come out where it went in, untouched",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
