"""Targets take the value of what comes next as if the ends of episodes were not there, or there only.

## What it sees
The program acts in an environment, and its answers are a reward and a part of what a network says of the next state.
They are computed again with a higher value: for every example they rise, although many episodes have ended; or
they rise for the few that would be ends, and not for the others. Where the environment tells limits of time apart from
ends, it speaks too if only few of the examples are cut off that should be. A value after the end of an
episode counts as if there were more to come.

## When it is fine
Tasks without an end. Where all episodes are as long as a limit of time allows, going on past the limit is right, and
nothing is told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Bootstrapped


class Limits(Settable):
    expected: float = 6.0
    """Ends among the examples that were looked at; that none of so many is drawn happens once in four hundred times."""
    few: float = 0.25
    """Of the ends that are expected, where the environment tells limits of time apart: so few are cut off otherwise."""
    many: float = 20.0
    """Ends expected; that only a quarter of so many is drawn happens once in ten thousand times."""
    episodes: int = 5
    """By which it is known that not all are of one length."""
    rare: float = 0.25
    """Share of steps that end an episode, up to which it is plain whether they or the others are cut off."""
    most: float = 0.6
    """Share of the examples that are cut off, where the others should be."""


def find(seen: Bootstrapped, limits: Limits) -> Found:
    if not seen.ends > 0:
        return
    judged = seen.episodes >= limits.episodes and not seen.even
    expected = seen.examples * seen.ends
    others = seen.apart and seen.cut <= limits.few * expected and expected >= limits.many
    ignored = judged and (others or (seen.cut == 0 and expected >= limits.expected))
    turned = seen.ends <= limits.rare and seen.cut >= limits.most * seen.examples
    if not ignored and not turned:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the target takes the value of the next state in {seen.examples - seen.cut} of {seen.examples} examples, "
        f"where {seen.ends:.1%} of all steps end an episode",
        wanted="the value of the next state in all examples but those that end an episode",
        likely=_likely(seen, ignored),
        do=None if ignored else "multiply the discounted value by `(1 - done)`, not by `done`",
        numbers={"examples": seen.examples, "cut": seen.cut, "ends": seen.ends},
    )


def _likely(seen: Bootstrapped, ignored: bool) -> str | None:
    if not ignored:
        return "the flag is turned: what is kept are the ends"
    return "`truncated` is stored or used in the place of `terminated`" if seen.apart else None


CHECK = Check(
    id="FL236",
    summary="targets take a value from beyond the ends of episodes",
    causes=("rl-done",),
    likely="the flag for the end is not stored, not read, or not used where the target is made",
    fix="multiply the discounted value by `(1 - done)`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
