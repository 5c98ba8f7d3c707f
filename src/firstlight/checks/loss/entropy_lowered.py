"""Training lowers the entropy of the distribution that the program samples from.

## What it sees
The program samples from distributions, and their entropy is a term of its loss. At nearly every backward the gradient
with respect to that entropy is positive: each step makes the distribution narrower, until it always draws the same
thing.

## When it is fine
An entropy term is normally there to keep the entropy up. Programs that sample nothing, such as classifiers that should
become more certain, are not judged; nor are distributions whose entropy is only measured.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import EntropySeen


class Limits(Settable):
    backwards: int = 10
    """Fewest backwards in which the entropy has a gradient."""
    share: float = 0.9
    """Smallest share of them in which it is lowered; a weight that changes its sign on purpose does so once."""


def find(seen: EntropySeen, limits: Limits) -> Found:
    every = seen.lowered + seen.raised
    if not seen.draws or every < limits.backwards or seen.lowered < limits.share * every:
        return
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"at {seen.lowered} of {every} backwards the loss falls when the entropy of the {seen.name} falls",
        wanted="a loss that falls when the entropy rises, so that the distribution stays wide enough to explore",
        numbers={"lowered": seen.lowered, "backwards": every},
    )


CHECK = Check(
    id="FL218",
    summary="training narrows the distribution that the program samples from",
    causes=("rl-explore",),
    likely="the entropy term has the wrong sign",
    fix="subtract the entropy from the loss that is minimized, with a small positive weight",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
