"""Training lowers the entropy of the distribution that actions are drawn from.

## What it sees
The program draws from distributions, and computes their entropy as a part of its loss. At nearly every backward the
gradient by that entropy is positive: each step makes the distribution narrower, until it draws the same thing always.

## When it is fine
A term on the entropy is there to keep it up. Programs that draw nothing, such as classifiers whose answers are to
become surer, are not judged; nor are distributions whose entropy is only looked at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import EntropySeen


class Limits(Settable):
    backwards: int = 10
    """In which the entropy has a gradient."""
    share: float = 0.9
    """Of them in which it is lowered; a weight that changes its sign on purpose does so once."""


def find(seen: EntropySeen, limits: Limits) -> Found:
    every = seen.lowered + seen.raised
    if not seen.draws or every < limits.backwards or seen.lowered < limits.share * every:
        return
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"at {seen.lowered} of {every} backwards the loss falls when the entropy of the {seen.name} falls",
        wanted="a loss that falls when the entropy rises: what is drawn from must stay wide enough to find out",
        numbers={"lowered": seen.lowered, "backwards": every},
    )


CHECK = Check(
    id="FL218",
    summary="training narrows the distribution that it draws from",
    causes=("rl-explore",),
    likely="the term of the entropy has the wrong sign",
    fix="subtract the entropy from the loss that is minimised, with a small positive weight",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
