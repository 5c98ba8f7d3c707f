"""An untrained part of the network has a learning rate far below that of the rest.

## What it sees
At every step looked at, one parameter group of the optimizer has a learning rate a hundred times below the highest, as
one would choose to fine-tune a pretrained body, yet its matrices are as random as freshly initialised ones. A copy of
the program in which all groups have the highest rate decides: this is reported if that copy gets clearly further.

## When it is fine
Weights that were trained before, here or elsewhere, may have any rate. They are recognised because they were loaded, or
because they stretch some directions far more than random matrices do. Groups frozen at a rate of zero, and features
that are meant to be random, may have any rate too: the copy learns no better with those.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion
from firstlight.records.inner import Movement
from firstlight.records.steered import GroupRate


class Limits(Settable):
    looks: int = 2
    """Fewest looks, with steps between them; a group may be unfrozen a little later than the others."""
    apart: float = 100.0
    """Smallest ratio of the highest rate to that of the group; layers of one network rarely need more than ten."""


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
        f"learning rate {one.rate:g}, the others at up to {highest:g}, yet their matrices are as random as new ones",
        wanted=f"rates less than {limits.apart:g} times apart, unless the slow part was trained before",
        numbers={"rate": one.rate, "highest": highest},
    )


def _slow(look: Movement, limits: Limits) -> list[GroupRate]:
    highest = max((group.rate for group in look.groups), default=0.0)
    return [group for group in look.groups if group.drawn and 0 < group.rate * limits.apart <= highest]


CHECK = Check(
    id="FL319",
    summary="an untrained part of the network has a far lower learning rate than the rest",
    causes=("hp-lr-low",),
    likely="a fine-tuning rate, meant for a pretrained body, is used for one that was never trained",
    fix="give all groups the same learning rate, or load the weights that the low rate is meant for",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.85,
    repairs=("rates-evened",),
    find=find,
)
