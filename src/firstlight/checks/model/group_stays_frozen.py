"""A group of parameters that an optimizer was given is frozen for as long as it steps.

## What it sees
In a rehearsal that reached the last line: an optimizer has several groups, others of them train, and one takes no
gradient at any step, nor later in the hands of another optimizer. Where the line that freezes it asks how far a loop
has come, and the answer is the same in the loop's first round and in its last, the stage in which it trains never
comes. Where lines that thaw were not reached, or what they ask is counted by hand, nobody knows, and nothing is said.

## When it is fine
A backbone that is frozen for good and handed over all the same, as one of several groups, does no harm: that is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.model.parameters_not_optimized import listed
from firstlight.records.standing_by import GroupFrozen


class Limits(Settable):
    steps: int = 3
    """A rehearsal makes no more rounds of a loop than these and the last one; fewer show nothing."""


def find(group: GroupFrozen, limits: Limits) -> Found:
    if group.steps < limits.steps or not group.rate > 0:
        return
    held = group.parameters
    why = f"; `{group.test}` comes out the same in the first round of its loop and in the last" if group.test else ""
    yield Evidence(
        where=at(group.site or group.built, module=held.names[0] if held.names else None, rank=group.rank),
        saw=f"a group of `{group.optimizer}` with a rate of {group.rate:.3g} ({held.tensors} tensors: {listed(held)}) "
        f"was frozen at all of its {group.steps} steps, to the end of the program{why}",
        wanted="parameters that are thawed while the optimizer that holds them steps, or that no optimizer holds",
        severity=None if group.test else Severity.NOTE,
        likely="what is counted and what it is held against are in different units, such as epochs and steps"
        if group.test
        else None,
        numbers={"tensors": held.tensors, "steps": group.steps},
    )


CHECK = Check(
    id="FL477",
    summary="a group of parameters that an optimizer was given is never thawed",
    causes=("train-frozen",),
    likely="the line that was to thaw it does not, or the group was meant to be left out",
    fix="print `[p.requires_grad for p in group['params']]` where the stage begins in which it should train",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    since="0.2",
)
