"""Targets take the value of what comes next as if the ends of episodes were not there, or there only.

## What it sees
The program acts in an environment, and its answers are a reward and a part of what a network says of the next state.
They are computed again with a higher value: for every example they rise, although many episodes have ended; or
they rise for the few that would be ends, and not for the others. A value after the end of an episode counts as if there
were more to come.

## When it is fine
Tasks without an end. Where all episodes are as long as a limit of time allows, going on past the limit is right, and
nothing is told.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.dealings import Bootstrapped
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    expected: float = 6.0
    """Ends among the examples that were looked at; that none of so many is drawn happens once in four hundred times."""
    episodes: int = 5
    """By which it is known that not all are of one length."""
    rare: float = 0.25
    """Share of steps that end an episode, up to which it is plain whether they or the others are cut off."""
    most: float = 0.6
    """Share of the examples that are cut off, where the others should be."""


def find(seen: Bootstrapped, limits: Limits) -> Iterator[Evidence]:
    if not seen.ends > 0:
        return
    judged = seen.episodes >= limits.episodes and not seen.even
    ignored = judged and seen.cut == 0 and seen.examples * seen.ends >= limits.expected
    turned = seen.ends <= limits.rare and seen.cut >= limits.most * seen.examples
    if not ignored and not turned:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the target takes the value of the next state in {seen.examples - seen.cut} of {seen.examples} examples, "
        f"where {seen.ends:.1%} of all steps end an episode",
        wanted="the value of the next state in all examples but those that end an episode",
        likely=None if ignored else "the flag is turned: what is kept are the ends",
        do=None if ignored else "multiply the discounted value by `(1 - done)`, not by `done`",
        numbers={"examples": seen.examples, "cut": seen.cut, "ends": seen.ends},
    )


CHECK = Check(
    id="FL236",
    name="ends-pass-unnoticed",
    summary="targets take a value from beyond the ends of episodes",
    causes=("rl-done",),
    likely="the flag for the end is not stored, not read, or not used where the target is made",
    fix="multiply the discounted value by `(1 - done)`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
