"""Targets include the value of the next state even where an episode ended, or only there.

## What it sees
The program acts in an environment, and its targets are a reward plus a share of a network's value of the next state.
They are computed again with a higher value. Either they rise for every example, although many episodes have ended; or
they rise only for a few, which are probably the ends. If the environment tells time limits apart from ends, the check
also speaks when far fewer examples are cut off than should be. A value after the end of an episode counts as if more
reward were to come.

Targets may also be computed long before they are met, as with an advantage over a whole rollout. Then a copy of the
program is made in which its networks say more of the state in which an episode ended, and targets of that episode rise.

## When it is fine
Tasks without an end. If all episodes are exactly as long as a time limit allows, it is right to go on past the limit,
and nothing is reported. A reward that a network computes from the state that was reached is reported in error.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Bootstrapped


class Limits(Settable):
    expected: float = 6.0
    """Fewest ends expected among the examples looked at; that none of so many is drawn happens once in four hundred
    times."""
    few: float = 0.25
    """Largest share of the expected ends that are cut off, where the environment tells time limits apart from ends;
    above it, ends are cut off as they should be."""
    many: float = 20.0
    """Fewest ends expected for the rule above; that only a quarter of so many is drawn happens once in ten thousand
    times."""
    episodes: int = 5
    """Fewest episodes; only then is it known that they are not all of the same length."""
    rare: float = 0.25
    """Largest share of steps that end an episode; above it, one cannot tell whether they or the others are cut off."""
    beyond: int = 2
    """Fewest targets that rise with the value of the end of their own episode; a single one may be of a state that
    looks like another."""
    most: float = 0.6
    """Smallest share of the examples that are cut off when the flag is inverted."""


def find(seen: Bootstrapped, limits: Limits) -> Found:
    if not seen.ends > 0:
        return
    judged = seen.episodes >= limits.episodes and not seen.even
    expected = seen.examples * seen.ends
    others = seen.apart and seen.cut <= limits.few * expected and expected >= limits.many
    ignored = judged and (others or (seen.cut == 0 and expected >= limits.expected))
    turned = seen.ends <= limits.rare and seen.cut >= limits.most * seen.examples
    risen = not ignored and not turned
    if not risen:
        saw = f"the target includes the value of the next state in {seen.examples - seen.cut} of {seen.examples} "
        saw += f"examples, while {seen.ends:.1%} of all steps end an episode"
    elif seen.beyond >= limits.beyond and seen.episodes >= limits.episodes:
        saw = f"{seen.beyond} targets of an episode rise when a network says more of the state in which it ended"
    else:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=saw,
        wanted="the value of the next state in all examples except those that end an episode",
        severity=Severity.WARNING if risen else None,
        likely=None if risen else _likely(seen, ignored),
        do=None if ignored or risen else "multiply the discounted value by `(1 - done)`, not by `done`",
        numbers={"examples": seen.examples, "cut": seen.cut, "ends": seen.ends, "beyond": seen.beyond},
    )


def _likely(seen: Bootstrapped, ignored: bool) -> str | None:
    if not ignored:
        return "the flag is inverted: the value is kept only at the ends"
    return "`truncated` is stored or used in place of `terminated`" if seen.apart else None


CHECK = Check(
    id="FL236",
    summary="targets include a value from beyond the end of an episode",
    causes=("rl-done",),
    likely="the flag for the end of an episode is not stored, not read, or not used where the target is computed",
    fix="multiply the discounted value by `(1 - done)`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
