"""The episodes of a policy return no more at the end of the run than before anything was learnt.

## What it sees
The rewards that an environment gives, summed from the beginning of each episode to its end, over the whole run: the
program's own where it came to its end while it was watched, else that of a copy in which nothing is changed. The mean
of the last quarter is not above that of the first few episodes, or by no more than they differ by chance. Of a run that
was not seen whole only a clear fall is told.

## When it is fine
Where every episode returns the same nothing is said: rewards may be too rare to be met in the time. A program that only
collects what a fixed policy does, or makes its task harder as it learns, may return as much as it did.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Returning


class Limits(Settable):
    episodes: int = 60
    """Fewer say little of what a policy has come to."""
    rise: float = 2.0
    """Standard errors between the mean return of the last quarter and that of the beginning."""
    fall: float = 6.0
    """Of the same by which it falls, from which on the rest of the run is not waited for."""


def find(returning: Returning, limits: Limits) -> Found:
    least = limits.rise if returning.to_end else -limits.fall
    enough = returning.varied and returning.episodes >= limits.episodes
    if not enough or not returning.rise < least:
        return
    course = "the whole run" if returning.to_end else f"the first {returning.step} steps"
    yield Evidence(
        where=at(returning.site, step=returning.step, rank=returning.rank),
        saw=f"{returning.episodes} episodes in {course}: the first return {returning.start:.3g}, the last quarter "
        f"{returning.end:.3g} ({returning.rise:+.1f} standard errors)",
        wanted=f"a mean return that rises by {limits.rise:g} standard errors or more",
        numbers={"start": returning.start, "end": returning.end, "rise": returning.rise},
    )


CHECK = Check(
    id="FL514",
    summary="the returns of a policy never rise",
    causes=("unknown",),
    likely="what the policy is asked, what it is rewarded for, or when, is not what the loss is made of",
    fix="follow one short episode by hand from the environment to the loss: what was seen, done, rewarded, and its end",
    severity=Severity.WARNING,
    confidence=0.6,
    symptom=True,
    find=find,
)
