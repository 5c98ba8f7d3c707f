"""Where one of the answers is asked for, the loss is the same whatever the network gives.

## What it sees
Answers of a few kinds meet the outputs of the network place by place, and nothing else does. Outputs are moved far away
wherever one kind of answer is asked for, and the loss is computed again: it does not change at all, at every look,
although it does for another kind. A hinge loss that is given 0 and 1 where it wants -1 and 1, or a likelihood
that counts the positive answers only.

## When it is fine
A loss that leaves out some answers on purpose, where the mask is multiplied in as the answer itself.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import MuteSeen


class Limits(Settable):
    looks: int = 2
    """A single batch may be odd."""
    share: float = 0.1
    """Of all answers: what is asked for more rarely may be left out on purpose."""


def find(mute: MuteSeen, limits: Limits) -> Found:
    if mute.times < limits.looks or mute.times < mute.looks or not mute.elements >= limits.share * mute.of:
        return
    yield Evidence(
        where=at(mute.site, step=mute.step, rank=mute.rank),
        saw=f"where the answer is {mute.value:g}, in {mute.elements} of {mute.of} places, the loss does not depend on "
        f"the output; elsewhere it changes by {mute.others:.3g}",
        wanted="a loss that depends on the output for every answer",
        numbers={"value": mute.value, "elements": mute.elements, "of": mute.of, "others": mute.others},
    )


CHECK = Check(
    id="FL221",
    summary="for one of the answers the loss is the same whatever the network gives",
    causes=("loss-mismatch",),
    likely="the loss wants other values for the classes (-1 and 1 instead of 0 and 1), or lacks the term for this one",
    fix="use a loss made for these answers, such as `binary_cross_entropy_with_logits` for 0 and 1, or convert them",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
