"""Inputs and labels do not belong together: the program learns no better from them than from mismatched ones.

## What it sees
Copies of the program ran from the same first batch. With the rows of the inputs put out of order against the
labels, the loss ends where it ends as it is; yet a single batch can be learnt by heart, so model, loss and
optimizer work.

## When it is fine
A task that is very hard, or so noisy that nothing shows within the steps observed, looks the same at first: look at
a few examples with their labels before anything else. Nothing is said once the program itself, watched for longer than
its copies, is seen to learn, nor where a plain fit to the same examples foretells their labels. A learning rate that is
far too high looks the same too, and is not reported here where a copy at a tenth of it learns.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast, Pair

CLASSIFYING = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")


class Limits(Settable):
    steps: int = 100
    """Of the optimizer; before that most programs have hardly begun."""
    by_heart: float = 0.4
    """Share of its first loss that the copy fed one batch must lose; at a usual rate 150 steps bring half or more."""
    noises: float = 2.0
    """Median deviations within which two ends count as the same."""
    alike: float = 0.03
    """Share of the first loss by which learning must beat mismatched pairs."""
    prior: float = 0.6
    """Loss of mismatched pairs over that of a guess among the classes: below it most examples are of one class, and
    learning just that beats any pairing for a while."""
    as_often: float = 0.35
    """Share of the later steps at which mismatched pairs must have the lower loss on the same batch: half of them where
    the pairing means nothing, few where it means a little."""
    by_chance: float = 4.0
    """Deviations within which a plain fit to the same examples may foretell labels by luck; beyond it they belong to
    their inputs."""
    learnt_slower: float = 0.3
    """Share by which a copy at a tenth of the rate must end below mismatched pairs for the rate to be at fault."""


def find(contrast: Contrast, limits: Limits) -> Found:
    one, mixed = contrast.of("one-batch"), contrast.of("permuted-targets")
    if (
        contrast.compares_rows
        or contrast.certified
        or not contrast.foretold < limits.by_chance
        or contrast.loss not in CLASSIFYING
        or one is None
        or mixed is None
        or not contrast.updates(mixed) >= limits.steps
    ):
        return
    if not (one.other.finite and mixed.other.finite and mixed.base.finite) or not one.other.first > 0:
        return
    if not (one.other.first - one.other.last >= limits.by_heart * one.other.first and _alike(mixed, limits)):
        return
    guess = math.log(max(2, contrast.classes or 2))
    if not (mixed.below >= limits.as_often and mixed.other.last >= limits.prior * guess):
        return
    slower = contrast.of("lr-tenth")
    if slower is not None and not slower.other.last >= (1 - limits.learnt_slower) * mixed.other.last:
        return
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"after {mixed.steps} steps the loss is {mixed.base.last:.4g}; with inputs and labels deliberately "
        f"mismatched it is {mixed.other.last:.4g}, while one batch alone is learnt down to {one.other.last:.3g}",
        wanted="a loss well below the one for mismatched pairs",
        numbers={"as_is": mixed.base.last, "mismatched": mixed.other.last, "one_batch": one.other.last},
    )


def _alike(mixed: Pair, limits: Limits) -> bool:
    better = mixed.other.last - mixed.base.last
    return better <= max(
        limits.noises * (mixed.base.noise + mixed.other.noise) / 2, limits.alike * abs(mixed.base.first)
    )


CHECK = Check(
    id="FL506",
    summary="the program learns no better from its labels than from mismatched ones",
    causes=("data-label-misaligned",),
    likely="inputs and labels were shuffled, sorted or filtered separately",
    fix="print a few inputs beside their labels as the model gets them; index both with the same permutation",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    symptom=True,
)
