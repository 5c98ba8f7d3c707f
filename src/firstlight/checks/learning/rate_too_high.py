"""The learning rate is so high that the program learns nothing, unlearns, or learns far less than it could.

## What it sees
The program's loss is no lower than at its start, or is no longer finite, while a copy of it from the same first batch
with a lower learning rate, a tenth or less, and no other change, learned a good deal. If the whole run is short enough,
a program that does learn is also reported if its loss ends far above that of a copy that ran to the end at a tenth of
the rate.

## When it is fine
Only programs whose loss is meant to fall are judged: it compares predictions with targets that the network had no part
in, and no other optimizer works against it. A loss that is meant to rise (adversarial losses, a term that is warmed up)
does not fall at a tenth of the rate either.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import LOWER_RATES, WHOLE_LOWER, Contrast, Pair


class Limits(Settable):
    steps: int = 40
    """Fewest steps; the first steps of a healthy run may rise."""
    moves: float = 0.35
    """Share of its first loss that the copy at a lower rate must lose."""
    ahead: float = 0.3
    """Share of the copy's gain by the end of the run that the program missed. Healthy programs stay below 0.1."""
    told: float = 0.02
    """Share by which numbers that the program prints must differ to count: the lower rate is better only where none of
    them becomes worse by that, and of its scores, where it prints any, one becomes better by that."""


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
        wanted="at least half as much learned as at a lower learning rate",
        do=f"divide the learning rate by {divisor:,}"
        f"{f', from {contrast.lr:g} to {contrast.lr / divisor:g},' if contrast.lr else ''} and check again",
        numbers={"base": pair.base.last, "lower": pair.other.last, "divisor": divisor},
    )


def _by_the_end(contrast: Contrast, limits: Limits) -> Found:
    for name, divisor in WHOLE_LOWER.items():
        run = contrast.at_end(name)
        if run is None or not run.ahead >= limits.ahead or not run.is_of_use(limits.told):
            continue
        yield Evidence(
            where=at(contrast.lr_site, rank=contrast.rank),
            saw=f"by the end of its run the loss went from {run.base.first:.4g} to {run.base.last:.4g}; with the "
            f"learning rate divided by {divisor}, in {run.steps} steps, to {run.other.last:.4g}{run.says()}",
            wanted="most of what is learned at a lower learning rate",
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
