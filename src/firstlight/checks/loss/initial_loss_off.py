"""The first loss is far from that of a model that knows nothing.

## What it sees
The loss of the untrained model, in train mode, over some batches, is compared with that of an uninformed prediction
(equal probabilities, zero values), computed with the same loss function and the targets seen. A cross-entropy that
starts too high in an experiment that can be trained is left to `outputs-too-large` (FL219), which sees whether training
makes up for it: the two never report the same loss.

## When it is fine
Pretrained weights start low: declare `pretrained=True`. Regression targets far from zero start high until the output's
bias is set to their mean; that is a warning.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import InitialLoss


class Limits(Settable):
    low: float = 0.5
    """Smallest first loss as a share of the expected one; healthy networks start at 0.87 or more."""
    high: float = 2.0
    """Largest multiple of the expected loss; the most overconfident healthy network measured starts at 1.45."""
    regression_high: float = 10.0
    """Largest multiple of the targets' mean square; in a healthy start the outputs are no larger than the targets."""


OVER_CLASSES = ("cross_entropy", "nll_loss")
CLASSES = (*OVER_CLASSES, "binary_cross_entropy", "binary_cross_entropy_with_logits")


def find(initial: InitialLoss, limits: Limits) -> Found:
    if not initial.batches or initial.expected is None or not initial.expected > 0:
        return
    mean = sum(initial.batches) / len(initial.batches)
    if not math.isfinite(mean):
        return
    high = limits.high if initial.loss in CLASSES else limits.regression_high
    wanted = f"about {initial.expected:.3g}: {initial.formula}"
    numbers: dict[str, float | int | str | bool | None] = {"loss": mean, "expected": initial.expected}
    where = at(initial.site, step=0, rank=initial.rank)
    if mean > high * initial.expected:
        if initial.watched and initial.loss in OVER_CLASSES:
            return
        sigma = math.sqrt(2 * (mean - initial.expected))
        spread = f", as scores with a spread of {sigma:.1f} would" if initial.loss == "cross_entropy" else ""
        yield Evidence(
            where=where,
            saw=f"the untrained model starts at {mean:.3g}{spread}",
            wanted=wanted,
            cause="arch-init" if initial.loss in CLASSES else "data-scale",
            severity=Severity.WARNING,
            likely="inputs or weights on a large scale, or an output far from the targets' mean",
            do="print the spread of the inputs and of the outputs; standardize, or initialize the last layer small",
            numbers=numbers,
        )
    elif mean < 0 and initial.loss in CLASSES:
        yield _negative(initial, mean)
    elif mean < limits.low * initial.expected and initial.loss in CLASSES and not _informed(initial):
        constant = initial.prior is not None and mean >= limits.low * initial.prior
        yield Evidence(
            where=where,
            saw=f"the untrained model starts at {mean:.3g}",
            wanted=wanted,
            severity=Severity.NOTE if constant else Severity.WARNING,
            numbers=numbers,
        )


def _informed(initial: InitialLoss) -> bool:
    """The low start is explained by pretraining, or by two views of one example that are alike without any training."""
    return initial.pretrained or initial.among_rows


def _negative(initial: InitialLoss, mean: float) -> Evidence:
    """No class prediction scores below zero, unless scores stand in for log-probabilities or the loss is negated."""
    raw = initial.loss == "nll_loss"
    return Evidence(
        where=at(initial.site, step=0, rank=initial.rank),
        saw=f"the untrained model starts at {mean:.3g}, below zero",
        wanted=f"about {initial.expected:.3g}: {initial.formula}",
        cause="loss-missing-activation" if raw else "loss-sign",
        likely="raw scores go where log-probabilities belong" if raw else "the loss is negated",
        do="apply `log_softmax` first" if raw else "minimize the loss itself, without the minus sign",
        numbers={"loss": mean, "expected": initial.expected},
    )


CHECK = Check(
    id="FL230",
    summary="the first loss is far from that of a model that knows nothing",
    causes=("data-leak-target", "arch-init", "data-scale", "loss-sign", "loss-missing-activation"),
    likely="the target is among the inputs, most targets are ignored, or the weights are already trained",
    fix="compare the inputs with the target column by column; with pretrained weights declare `pretrained=True`",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
