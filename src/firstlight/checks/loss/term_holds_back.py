"""One term of the loss keeps the others from falling.

## What it sees
The loss is a sum, and the program is not known to learn. Two copies of it run from the same first batch: in one, the
term acts as it does in the program; in the other, it is left out of the sum. The other terms, measured on their own in
both, hardly fall with it and fall well without it. The term is not the task itself: either it depends on the weights
alone, or other terms are torch's own losses and it is not.

Where it is known what one and the same output for all inputs would get, only what is gained beyond that counts: an
autoencoder whose code is forced to say nothing still learns the mean of its inputs. That is a warning. Where the term
is a sum over its elements and the other term a mean over many more, their sizes do not belong together, and that is
named as the cause.

## When it is fine
Many losses work by terms that pull against each other: two tasks, or reconstruction and the limit on an autoencoder's
code. A term may delay the others for a while: if the program's whole loss later gets below that of one output for all
inputs, nothing is reported. A program that learns with all of its terms is not tested; nor is one whose targets come
from its own behavior, as in reinforcement learning, or one in which two optimizers work against each other.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast, Level, TermTried


class Limits(Settable):
    steps: int = 40
    """Fewest steps; fewer say little about a slow start."""
    falls: float = 0.3
    """Smallest share of their first value that the other terms must lose without it."""
    part: float = 0.3
    """Largest share of that fall that they may lose with it."""
    beyond: float = 0.02
    """The same beyond what is had without looking at the inputs, as a share of that; from batch to batch it varies by
    about a hundredth."""
    uneven: float = 4.0
    """Largest ratio of the numbers that the other term is averaged over to those of a term that is a sum; a mean over
    examples alone has as many as the sum, and a few outputs of an example hardly matter."""
    noises: float = 2.0
    """Smallest distance between the two ends, in multiples of their noise (median deviation)."""


def find(contrast: Contrast, limits: Limits) -> Found:
    fair = [term for term in contrast.terms if term.steps >= limits.steps]
    held = [term for term in fair if _holds_back(term, limits) or _keeps_at_guess(term, contrast.reached, limits)]
    if not held or not contrast.meant_to_fall:
        return
    term = max(held, key=lambda one: (one.beside.last - one.without.last) / abs(one.without.first))
    sure, uneven = _holds_back(term, limits), term.averaged > limits.uneven
    guess = "" if sure else f"; one output for all inputs gets {term.guess:.4g}"
    reduced = f"; it is a sum, and the other a mean over {term.averaged:.4g} times as many numbers" if uneven else ""
    yield Evidence(
        where=at(term.site or contrast.loss_site, rank=contrast.rank),
        saw=f"in {term.steps} steps the rest of the loss goes from {term.without.first:.4g} to {term.beside.last:.4g}; "
        f"without the term that is added here, from the same start, to {term.without.last:.4g}{guess}{reduced}",
        wanted="terms that can fall together",
        cause="loss-scale" if uneven else None,
        likely="one term is averaged over its elements and the other summed over them" if uneven else None,
        do="sum both over the elements of an example, and average both over the examples" if uneven else None,
        severity=None if sure else Severity.WARNING,
        confidence=None if sure else 0.8,
        numbers={"beside": term.beside.last, "without": term.without.last, "first": term.without.first},
    )


def _holds_back(term: TermTried, limits: Limits) -> bool:
    if not (term.aside and term.without.finite and term.beside.finite and term.without.first):
        return False
    first = min(term.without.first, term.beside.first)
    return _gains_more(term, first, limits.falls, limits, term.without.noise + term.beside.noise)


def _keeps_at_guess(term: TermTried, reached: Level | None, limits: Limits) -> bool:
    """Not for good, where the program itself gets its whole loss below the guess as it goes on."""
    if not (term.aside and term.without.finite and term.beside.finite and term.guess):
        return False
    if reached is not None and not reached.last >= term.guess - limits.beyond * abs(term.guess):
        return False
    start = min(term.without.first, term.beside.first, term.guess)
    return _gains_more(term, start, limits.beyond, limits, term.noise)


def _gains_more(term: TermTried, start: float, falls: float, limits: Limits, noise: float) -> bool:
    """Without the term, from the start."""
    possible, learnt = start - term.without.last, start - term.beside.last
    clear = possible - learnt > limits.noises * noise
    return clear and possible >= falls * abs(start) and learnt <= limits.part * possible


CHECK = Check(
    id="FL217",
    summary="one term of the loss keeps the others from falling",
    causes=("loss-conflict", "loss-scale"),
    likely="a penalty whose weight is orders of magnitude too large",
    fix="divide the weight of the term by ten until the others fall, or remove it",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
