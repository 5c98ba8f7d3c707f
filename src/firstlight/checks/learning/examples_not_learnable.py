"""The model cannot learn two examples by heart.

## What it sees
The same two examples (eight with batch norm) for hundreds of steps, regularisation off, with the experiment's optimizer
and, where that fails, with Adam at several rates. How it fails tells why: rising, oscillating, flat at the value of a
constant answer, or flat where a second activation holds it.

## When it is fine
Models with fewer parameters than numbers to learn are not judged, nor those whose loss was still falling when the time
was up, nor those whose first loss is not finite. How far a loss of several terms can fall is not known; it is asked to
fall, and no more. Adversarial losses are not meant to: ignore it there.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Overfit


class Limits(Settable):
    left: float = 0.1
    """Share of the way from the first loss to the floor; every healthy configuration measured got below."""
    rising: float = 1.2
    """Times the first loss at the end: it is driven away."""
    near: float = 0.05
    """Relative distance within which a resting place counts as a known one."""
    fallen: float = 0.7
    """Of the first loss, where its least is not known (several terms, a function of the user's own): a loss that can
    fall so far is no broken one."""
    falling: float = 0.9
    """Of the first loss: below it at the end, and with the time up before the steps, it may well get there."""


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
        f"to {f'{shown[-1]:.4g}' if math.isfinite(shown[-1]) else 'what is not finite'}{how}",
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
    """The model can; this optimizer does not."""
    if not own[-1] <= limits.rising * own[0]:
        return "hp-lr-high", "the optimizer's steps are too large", "lower the learning rate by ten"
    return "hp-lr-low", "the optimizer's steps are too small", f"try Adam at {overfit.reference_lr:g}"


def _shape(losses: tuple[float, ...], overfit: Overfit, limits: Limits) -> tuple[str, str, str]:
    last = losses[-1]
    double, guess = overfit.double_activation_floor, overfit.guess
    if not last <= limits.rising * losses[0]:
        return "loss-sign", "it is driven away from the answer", "see whether the loss has the right sign"
    if double is not None and abs(last - double) < limits.near * double:
        where = "it rests where a second activation holds it"
        return "loss-double-activation", where, "return raw scores: the loss applies the activation itself"
    if guess is not None and abs(last - guess) <= limits.near * abs(guess):
        where = "it rests at the best constant answer: nothing of the input arrives, or nothing of the gradient"
        return "loss-detached", where, "print the output for two different inputs, then the gradients layer by layer"
    return "arch-capacity", "the output cannot take the form of the answer", "compare output and target by hand"


CHECK = Check(
    id="FL531",
    summary="the model cannot learn two examples by heart",
    causes=("loss-detached", "loss-sign", "loss-double-activation", "arch-capacity", "hp-lr-high", "hp-lr-low"),
    likely="something between input and loss is broken",
    fix="print shapes and values from the input to the loss for one example",
    severity=Severity.ERROR,
    confidence=0.9,
    symptom=True,
    find=find,
)
