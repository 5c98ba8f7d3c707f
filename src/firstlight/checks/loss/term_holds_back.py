"""One term of the loss keeps the others from falling.

## What it sees
The loss is a sum, and the program is not known to learn. Two copies of it ran from the same first batch: in one of
them the term pulls as it does in the program, in the other it was taken out of the sum. The other terms, measured by
themselves in both, hardly fall beside it and fall well without it. The term is none of the task itself: it rests on
weights alone, or others are losses of torch's own and it is not.

## When it is fine
Terms that pull against each other are how many losses work: two tasks, or what an autoencoder may say and what it must
tell. A program that learns with all of them is not asked;
nor is one whose answers are its own doing, as in reinforcement learning, or whose loss two optimizers pull at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast, TermTried


class Limits(Settable):
    steps: int = 40
    """Fewer say little about a slow start."""
    falls: float = 0.3
    """Share of their first value that the other terms must lose without it."""
    part: float = 0.3
    """Of that, what they lose beside it, at the most."""
    noises: float = 2.0
    """Median deviations of both ends that lie between them, at the least."""


def find(contrast: Contrast, limits: Limits) -> Found:
    held = [term for term in contrast.terms if term.steps >= limits.steps and _holds_back(term, limits)]
    if not held or not contrast.meant_to_fall:
        return
    term = max(held, key=lambda one: (one.beside.last - one.without.last) / abs(one.without.first))
    yield Evidence(
        where=at(term.site or contrast.loss_site, rank=contrast.rank),
        saw=f"in {term.steps} steps the rest of the loss goes from {term.without.first:.4g} to {term.beside.last:.4g}; "
        f"without the term that is added here, from the same start, to {term.without.last:.4g}",
        wanted="terms that can fall together",
        numbers={"beside": term.beside.last, "without": term.without.last, "first": term.without.first},
    )


def _holds_back(term: TermTried, limits: Limits) -> bool:
    if not (term.aside and term.without.finite and term.beside.finite and term.without.first):
        return False
    first = min(term.without.first, term.beside.first)
    possible, learnt = first - term.without.last, first - term.beside.last
    clear = possible - learnt > limits.noises * (term.without.noise + term.beside.noise)
    return clear and possible >= limits.falls * abs(first) and learnt <= limits.part * possible


CHECK = Check(
    id="FL217",
    summary="one term of the loss keeps the others from falling",
    causes=("loss-conflict",),
    likely="a penalty whose weight is too large by orders of magnitude",
    fix="divide the weight of the term by ten until the others fall, or leave it out",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
