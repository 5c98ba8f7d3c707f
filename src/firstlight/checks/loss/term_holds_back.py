"""One term of the loss keeps the others from falling.

## What it sees
The loss is a sum, and the program is not known to learn. Two copies of it run from the same first batch: in one, the
term acts as it does in the program; in the other, it is left out of the sum. The other terms, measured on their own in
both, hardly fall with it and fall well without it. The term is not the task itself: either it depends on the weights
alone, or other terms are torch's own losses and it is not.

## When it is fine
Many losses work by terms that pull against each other: two tasks, or reconstruction and the limit on an autoencoder's
code. A program that learns with all of its terms is not tested; nor is one whose targets come from its own behavior, as
in reinforcement learning, or one in which two optimizers work against each other.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast, TermTried


class Limits(Settable):
    steps: int = 40
    """Fewest steps; fewer say little about a slow start."""
    falls: float = 0.3
    """Smallest share of their first value that the other terms must lose without it."""
    part: float = 0.3
    """Largest share of that fall that they may lose with it."""
    noises: float = 2.0
    """Smallest distance between the two ends, in multiples of their noise (median deviation)."""


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
    likely="a penalty whose weight is orders of magnitude too large",
    fix="divide the weight of the term by ten until the others fall, or remove it",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
