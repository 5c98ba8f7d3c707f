"""A part of the network that nothing has trained yet gets a learning rate far below that of the rest.

## What it sees
The learning rates of the parameter groups of one optimizer, at every step that was looked at. A group has a rate a
hundred times below the highest, as for a body that was trained before and is only to be touched up, yet its matrices
are as random as freshly drawn ones. A copy of the program in which all groups have the highest rate decides: it is
reported when that copy gets clearly further.

## When it is fine
Weights that were trained before, in this program or another, show it: they stretch some directions far more than chance
does, or were loaded. They may have any rate. So may groups that are still frozen at a rate of zero, and features that
are meant to be random: the copy learns no better with those.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Movement
from firstlight.records.steered import GroupRate


class Limits(Settable):
    looks: int = 2
    """With steps between: a group may be thawed a little later than the others."""
    apart: float = 100.0
    """Highest rate over that of the group; layers of one network rarely need more than ten."""


def find(motion: Motion, limits: Limits) -> Found:
    if len(motion.looks) < limits.looks:
        return
    slow = [_slow(look, limits) for look in motion.looks]
    if not all(slow):
        return
    groups = motion.looks[-1].groups
    one, highest = max(slow[-1], key=lambda group: group.elements), max(group.rate for group in groups)
    yield Evidence(
        where=at(motion.site, step=motion.looks[-1].step, rank=motion.rank),
        saw=f"`{motion.optimizer}` trains {one.elements:,} of {sum(group.elements for group in groups):,} weights at "
        f"learning rate {one.rate:g}, the others at up to {highest:g}, and their matrices are as random as new ones",
        wanted=f"rates at most {limits.apart:g} times apart, unless what is slow was trained before",
        numbers={"rate": one.rate, "highest": highest},
    )


def _slow(look: Movement, limits: Limits) -> list[GroupRate]:
    highest = max((group.rate for group in look.groups), default=0.0)
    return [group for group in look.groups if group.drawn and 0 < group.rate * limits.apart <= highest]


CHECK = Check(
    id="FL319",
    summary="an untrained part of the network has a far lower learning rate than the rest",
    causes=("hp-lr-low",),
    likely="the rate of fine-tuning, for a body that was trained before, is given to one that was not",
    fix="give all groups the same learning rate, or load the weights that the low rate is meant for",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.85,
    repairs=("rates-evened",),
    find=find,
)
