"""Inputs and labels do not belong together: the program learns no more from them than from mismatched pairs.

## What it sees
Copies of the program run from the same first batch. In one of them the rows of the inputs are shuffled against the
labels, and its loss ends where that of the program ends. Yet a single batch can be memorized, so the model, the loss
and the optimizer work.

## When it is fine
A task that is very hard, or so noisy that nothing shows within the steps observed, looks the same at first: look at a
few examples with their labels before anything else. Nothing is reported if the program itself, watched for longer than
its copies, is seen to learn, or if a plain fit to the same examples predicts their labels. A learning rate that is far
too high looks the same too; it is not reported here if a copy at a tenth of it learns.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast, Pair

CLASSIFYING = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")


class Limits(Settable):
    steps: int = 100
    """Fewest optimizer steps; before that most programs have hardly begun."""
    by_heart: float = 0.4
    """Share of its first loss that the copy fed one batch must lose; at a usual learning rate 150 steps lose half or
    more."""
    noises: float = 2.0
    """Largest distance between two final losses that count as equal, in multiples of their noise (median deviation)."""
    alike: float = 0.03
    """Share of the first loss by which learning must beat mismatched pairs."""
    prior: float = 0.6
    """Smallest ratio of the loss of mismatched pairs to that of a guess among the classes. Below it most examples are
    of one class, and learning just that beats any pairing for a while."""
    as_often: float = 0.35
    """Share of the later steps at which mismatched pairs must have the lower loss on the same batch: half of them if
    the pairing means nothing, few if it means a little."""
    by_chance: float = 4.0
    """Standard deviations up to which a plain fit to the same examples may predict labels by luck; beyond that they
    belong to their inputs."""
    learnt_slower: float = 0.3
    """Share by which a copy at a tenth of the learning rate must end below mismatched pairs for the rate to be at
    fault."""


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
        f"mismatched it is {mixed.other.last:.4g}, while one batch alone is learned down to {one.other.last:.3g}",
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
    summary="the program learns no more from its labels than from mismatched ones",
    causes=("data-label-misaligned",),
    likely="inputs and labels were shuffled, sorted or filtered separately",
    fix="print a few inputs next to their labels as the model gets them; index both with the same permutation",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    symptom=True,
)
