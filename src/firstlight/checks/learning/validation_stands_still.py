"""A hundred examples are not learnt in ten epochs, or score otherwise when validated.

## What it sees
A hundred examples in batches of sixteen, ten epochs and more if they are needed, validated on the very same examples in
eval mode: the loss falls by half or nine in ten are right; and the validation agrees with the training.

## When it is fine
Tasks that need far more steps; a model meant for other data than the first hundred examples. Where the time was up
before the epochs and the loss still fell, nothing is said.
"""

import math
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.declared import QuickValidation
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    left: float = 0.85
    """Share of the way from the first validation to the floor that may be left."""
    accuracy: float = 0.9
    """Of the examples, right: learnt, whatever the loss says."""
    gap: float = 1.0
    """Validation over training loss on the same data, less one, beyond which the two do not measure the same."""
    settled: float = 0.3
    """Of the first loss: a gap between two small losses says nothing."""


def find(quick: QuickValidation, limits: Limits) -> Iterator[Evidence]:
    losses = quick.val_losses
    if not losses or not quick.train_losses or not all(map(math.isfinite, (*losses, *quick.train_losses))):
        return
    where = at(quick.site, rank=quick.rank)
    if quick.hurried and losses[-1] < losses[0]:
        return
    floor = quick.floor or 0.0
    room = quick.train_losses[0] - floor
    best = min(losses)
    accuracy = max(quick.accuracies, default=0.0)
    told = f"; accuracy {accuracy:.0%}" if quick.accuracies else ""
    trained, validated = quick.train_losses[-1], losses[-1]
    if room > 0 and best - floor > limits.left * room and accuracy < limits.accuracy:
        yield Evidence(
            where=where,
            saw=f"{quick.epochs} epochs over {quick.examples} examples take the loss from {quick.train_losses[0]:.4g} "
            f"to {best:.4g} at best{told}",
            wanted=f"below {floor + limits.left * room:.4g}, or {limits.accuracy:.0%} right",
            numbers={"first": quick.train_losses[0], "best": best, "accuracy": accuracy},
        )
    elif validated > (1 + limits.gap) * trained and validated - trained > limits.settled * quick.train_losses[0] > 0:
        yield Evidence(
            where=where,
            saw=f"the examples trained on have a loss of {trained:.4g} in training and {validated:.4g} in eval mode",
            wanted="about the same",
            cause="train-mode",
            likely="running statistics or dropout behave otherwise in eval mode, or validation is computed otherwise",
            do="evaluate one training batch in both modes and compare layer by layer",
            numbers={"train": trained, "validation": validated},
        )


CHECK = Check(
    id="FL532",
    name="validation-stands-still",
    summary="a hundred examples are not learnt in ten epochs",
    causes=("hp-lr-low", "train-mode"),
    likely="the learning rate is too low, or something between data and loss is broken",
    fix="see whether two examples can be learnt by heart (FL531); if so, raise the learning rate",
    severity=Severity.WARNING,
    confidence=0.7,
    symptom=True,
    find=find,
)
