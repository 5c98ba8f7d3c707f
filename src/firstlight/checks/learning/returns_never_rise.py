"""A policy's episodes return no more at the end of the run than before anything was learned.

## What it sees
The rewards that an environment gives, summed over each episode, over the whole run: the program's own if it was watched
to its end, otherwise that of an unchanged copy. The mean of the last quarter is not above that of the first few
episodes, or above it by no more than chance. If the run was not seen to its end, only a clear fall is reported.

## When it is fine
Nothing is reported if every episode returns the same: rewards may be too rare to be found in the time. A program that
only collects what a fixed policy does, or makes its task harder as it learns, may return as much as at the start.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Returning


class Limits(Settable):
    episodes: int = 60
    """Fewest episodes; fewer say little about the policy."""
    rise: float = 2.0
    """Standard errors by which the mean return of the last quarter must be above that of the start."""
    fall: float = 6.0
    """Standard errors by which it must have fallen to be reported before the run has ended."""


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
    likely="the observations, the rewards or their timing in the loss are not those of the environment",
    fix="follow one short episode by hand from the environment to the loss: what was seen, done, rewarded, and its end",
    severity=Severity.WARNING,
    confidence=0.6,
    symptom=True,
    find=find,
)
