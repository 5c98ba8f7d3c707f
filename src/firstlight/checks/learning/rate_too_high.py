"""The learning rate is so high that the program learns nothing, unlearns, or gets far less than it could.

## What it sees
The program's loss is no lower than at its start, or is no longer finite, while a copy of it from the same first
batch with a tenth of the learning rate, and nothing else changed, learnt a good deal. Where the whole run is short
enough, also a program that does learn, and by its own end gets far less than a copy that ran to the end at a tenth of
the rate.

## When it is fine
Only programs whose loss is meant to fall are judged: predictions meet answers in it that the network had no hand in,
and no other optimizer pulls the other way. A loss that is meant to rise
(adversaries, a term that is warmed up) does not fall at a tenth of the rate either.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import LOWER_RATES, WHOLE_LOWER, Contrast, Pair


class Limits(Settable):
    steps: int = 40
    """The first steps of a healthy run may rise."""
    moves: float = 0.35
    """Share of its first loss that the copy at a lower rate must lose."""
    ahead: float = 0.3
    """Share of what the copy gained by the end of the run that the program did not. Healthy programs stay below 0.1."""
    worse: float = 0.02
    """Share by which a score that the program prints may be worse at the lower rate, for that to be of use."""


def find(contrast: Contrast, limits: Limits) -> Found:
    if not contrast.meant_to_fall:
        return
    rungs = [(name, pair) for name in LOWER_RATES if (pair := contrast.of(name)) is not None and pair.cured]
    learns = [(name, pair) for name, pair in rungs if pair.steps >= limits.steps and _learns(pair, limits)]
    if not learns:
        yield from _by_the_end(contrast, limits)
        return
    name, pair = min(learns, key=lambda rung: rung[1].other.last)
    start = min(pair.base.first, pair.other.first)  # the same weights; the faster run may have left them at once
    ended = f"{pair.base.last:.4g}" if pair.base.finite else "a value that is not finite"
    divisor = LOWER_RATES[name]
    yield Evidence(
        where=at(contrast.lr_site, rank=contrast.rank),
        saw=f"in {pair.steps} steps the loss went from {start:.4g} to {ended}; with the learning rate divided by "
        f"{divisor:,}, from the same start, to {pair.other.last:.4g}",
        wanted="at the learning rate chosen, at least half of what a lower one learns",
        do=f"divide the learning rate by {divisor:,}"
        f"{f', from {contrast.lr:g} to {contrast.lr / divisor:g},' if contrast.lr else ''} and check again",
        numbers={"base": pair.base.last, "lower": pair.other.last, "divisor": divisor},
    )


def _by_the_end(contrast: Contrast, limits: Limits) -> Found:
    for name, divisor in WHOLE_LOWER.items():
        run = contrast.at_end(name)
        if run is None or not run.ahead >= limits.ahead or run.worse(limits.worse):
            continue
        yield Evidence(
            where=at(contrast.lr_site, rank=contrast.rank),
            saw=f"by the end of its run the loss went from {run.base.first:.4g} to {run.base.last:.4g}; with the "
            f"learning rate divided by {divisor}, in {run.steps} steps, to {run.other.last:.4g}{run.says()}",
            wanted="at the learning rate chosen, most of what a lower one learns",
            severity=Severity.WARNING,
            do=f"divide the learning rate by {divisor}"
            f"{f', from {contrast.lr:g} to {contrast.lr / divisor:g},' if contrast.lr else ''} and check again",
            numbers={"base": run.base.last, "lower": run.other.last, "divisor": divisor, "ahead": run.ahead},
        )


def _learns(pair: Pair, limits: Limits) -> bool:
    return pair.other.finite and pair.other.first > 0 and pair.other.last <= (1 - limits.moves) * pair.other.first


CHECK = Check(
    id="FL505",
    summary="the learning rate is too high for the run",
    causes=("hp-lr-high",),
    likely="the learning rate is too high by an order of magnitude",
    fix="divide the learning rate by 10 and check again",
    severity=Severity.ERROR,
    confidence=0.88,
    find=find,
    symptom=True,
)
