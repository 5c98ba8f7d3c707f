"""The model cannot memorize two examples.

## What it sees
The model trains on the same two examples (eight with batch norm) for hundreds of steps, with regularization off. The
experiment's own optimizer is used and, if that fails, Adam at several rates. How it fails tells why: the loss rises,
oscillates, stays flat at the value of a constant prediction, or stays flat where a second activation holds it.

## When it is fine
Models with fewer parameters than numbers to learn are not judged, nor those whose loss was still falling when the time
was up, nor those whose first loss is not finite. How far a loss of several terms can fall is not known, so it is only
expected to fall. Adversarial losses are not meant to fall: ignore the check there.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Overfit


class Limits(Settable):
    left: float = 0.1
    """Largest share of the way from the first loss to the floor that may be left; every healthy model gets below."""
    rising: float = 1.2
    """Ratio of the last loss to the first above which the loss is driven away."""
    near: float = 0.05
    """Largest relative distance at which a final loss counts as a known one."""
    fallen: float = 0.7
    """Ratio of the last loss to the first that is low enough if the minimum is not known (several terms, a user's own
    function)."""
    falling: float = 0.9
    """Ratio below which a loss was still falling if the time was up before the steps; it may well get there."""


def find(overfit: Overfit, limits: Limits) -> Found:
    if overfit.parameters < overfit.values:
        return
    own, reference = overfit.own, overfit.reference
    if (own and _learnt(own, overfit, limits)) or not (own or reference):
        return
    shown = own or reference
    if not (math.isfinite(shown[0]) and math.isfinite(overfit.floor or 0.0)):
        return
    if overfit.hurried and shown[-1] < limits.falling * shown[0]:
        return
    by_reference = bool(reference) and _learnt(reference, overfit, limits)
    if by_reference and not own:
        return
    cause, likely, do = _shape(shown, overfit, limits) if not by_reference else _procedure(own, overfit, limits)
    how = f"; Adam at {overfit.reference_lr:g} gets to {min(reference):.3g}" if own and reference else ""
    yield Evidence(
        where=at(overfit.site, rank=overfit.rank),
        saw=f"{len(shown)} steps on {overfit.examples} examples take the loss from {shown[0]:.4g} "
        f"to {f'{shown[-1]:.4g}' if math.isfinite(shown[-1]) else 'a non-finite value'}{how}",
        wanted=f"below {limits.fallen:.0%} of the first loss"
        if overfit.floor is None
        else f"near {overfit.floor:.3g}, the least possible",
        cause=cause,
        severity=Severity.WARNING if by_reference else None,
        likely=likely,
        do=do,
        numbers={"first": shown[0], "last": shown[-1], "floor": overfit.floor, "adam_can": by_reference},
    )


def _learnt(losses: tuple[float, ...], overfit: Overfit, limits: Limits) -> bool:
    floor, first, last = overfit.floor, losses[0], losses[-1]
    if floor is None:
        return math.isfinite(last) and first - last > (1 - limits.fallen) * abs(first)
    return math.isfinite(last) and last - floor <= limits.left * max(first - floor, 0.0)


def _procedure(own: tuple[float, ...], overfit: Overfit, limits: Limits) -> tuple[str, str, str]:
    """The model can learn them, but this optimizer does not."""
    if not own[-1] <= limits.rising * own[0]:
        return "hp-lr-high", "the optimizer's steps are too large", "lower the learning rate by ten"
    return "hp-lr-low", "the optimizer's steps are too small", f"try Adam at {overfit.reference_lr:g}"


def _shape(losses: tuple[float, ...], overfit: Overfit, limits: Limits) -> tuple[str, str, str]:
    last = losses[-1]
    double, guess = overfit.double_activation_floor, overfit.guess
    if not last <= limits.rising * losses[0]:
        return "loss-sign", "the loss is driven away from its minimum", "check whether the loss has the right sign"
    if double is not None and abs(last - double) < limits.near * double:
        where = "the loss stays where a second activation holds it"
        return "loss-double-activation", where, "return raw scores: the loss applies the activation itself"
    if guess is not None and abs(last - guess) <= limits.near * abs(guess):
        where = "the loss stays at that of the best constant output: no input or no gradient gets through"
        return "loss-detached", where, "print the output for two different inputs, then the gradients layer by layer"
    return "arch-capacity", "the output cannot take the form of the target", "compare output and target by hand"


CHECK = Check(
    id="FL531",
    summary="the model cannot memorize two examples",
    causes=("loss-detached", "loss-sign", "loss-double-activation", "arch-capacity", "hp-lr-high", "hp-lr-low"),
    likely="something between the input and the loss is broken",
    fix="print shapes and values from the input to the loss for one example",
    severity=Severity.ERROR,
    confidence=0.9,
    symptom=True,
    find=find,
)
