"""For one of the target values the loss is the same, whatever the network outputs.

## What it sees
The targets take a few values, and they are compared with the network's outputs element by element and with nothing
else. Wherever the target has one of these values the outputs are moved far away, and the loss is computed again. At
every look it does not change at all, although it does for another target value. Examples are a hinge loss that is given
0 and 1 where it expects -1 and 1, and a likelihood that counts only the positive targets.

## When it is fine
A loss that leaves out some targets on purpose, because the target itself is multiplied in as the mask.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import MuteSeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks at which the loss did not change; a single batch may be unusual."""
    share: float = 0.1
    """Smallest share of all targets that have this value; rarer values may be left out on purpose."""


def find(mute: MuteSeen, limits: Limits) -> Found:
    if mute.times < limits.looks or mute.times < mute.looks or not mute.elements >= limits.share * mute.of:
        return
    yield Evidence(
        where=at(mute.site, step=mute.step, rank=mute.rank),
        saw=f"where the target is {mute.value:g}, in {mute.elements} of {mute.of} places, the loss does not depend on "
        f"the output; elsewhere it changes by {mute.others:.3g}",
        wanted="a loss that depends on the output for every target value",
        numbers={"value": mute.value, "elements": mute.elements, "of": mute.of, "others": mute.others},
    )


CHECK = Check(
    id="FL221",
    summary="for one of the target values the loss is the same whatever the network outputs",
    causes=("loss-mismatch",),
    likely="the loss expects other class values (-1 and 1 instead of 0 and 1), or lacks the term for this value",
    fix="use a loss made for these targets, such as `binary_cross_entropy_with_logits` for 0 and 1, or convert them",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
