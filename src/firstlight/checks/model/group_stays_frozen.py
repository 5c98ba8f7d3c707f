"""A parameter group of an optimizer is frozen at every step the optimizer takes.

## What it sees
In a rehearsal that reached the last line, an optimizer has several groups. Others train, but one gets no gradient at
any step, not even later from another optimizer. If the line that freezes it tests how far a loop has come, and the test
gives the same result in the loop's first and last round, then the stage that should train the group never comes. If
lines that unfreeze it were not reached, or test a counter kept by hand, the outcome is unknown and nothing is reported.

## When it is fine
A backbone that is frozen for good but still passed in as one of several groups does no harm: that is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.model.parameters_not_optimized import listed
from firstlight.records.standing_by import GroupFrozen


class Limits(Settable):
    steps: int = 3
    """Fewest steps of the optimizer; fewer show nothing. A rehearsal runs only this many rounds of a loop and the last
    one."""


def find(group: GroupFrozen, limits: Limits) -> Found:
    if group.steps < limits.steps or not group.rate > 0:
        return
    held = group.parameters
    why = f"; `{group.test}` gives the same result in the first and the last round of its loop" if group.test else ""
    yield Evidence(
        where=at(group.site or group.built, module=held.names[0] if held.names else None, rank=group.rank),
        saw=f"a group of `{group.optimizer}` with a rate of {group.rate:.3g} ({held.tensors} tensors: {listed(held)}) "
        f"was frozen at all of its {group.steps} steps, to the end of the program{why}",
        wanted="parameters that are unfrozen while their optimizer steps, or that are in no optimizer",
        severity=None if group.test else Severity.NOTE,
        likely="the counter and the number it is compared with are in different units, such as epochs and steps"
        if group.test
        else None,
        numbers={"tensors": held.tensors, "steps": group.steps},
    )


CHECK = Check(
    id="FL477",
    summary="a parameter group of an optimizer is never unfrozen",
    causes=("train-frozen",),
    likely="the line that should unfreeze it does not, or the group should not have been passed to the optimizer",
    fix="print `[p.requires_grad for p in group['params']]` at the start of the stage in which it should train",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    since="0.2",
)
