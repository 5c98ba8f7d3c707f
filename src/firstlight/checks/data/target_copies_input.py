"""The target of a sequence is a piece of its input that the model can see.

## What it sees
The target, as the loss gets it, is compared with the input sequence at every offset. A next-step model has its target
one position later. Reported are a forecast whose window overlaps the input, a causal model that is asked for the very
token it is given, and a target that lies in the past, or two or more positions later.

## When it is fine
Reconstruction by models that see everything is not reported; nor are next-token models whose loss covers only some
positions, such as the answer after a prompt. A model that is to remember earlier values of a sequence whose values are
drawn independently of each other is not reported either: nothing in it tells the next value. Memory tasks over other
sequences are, though they are about the past on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import LagSeen


def find(seen: LagSeen, _limits: NoLimits) -> Found:
    if seen.offset is None:
        return
    where = at(seen.site, rank=seen.rank)
    numbers: dict[str, float | int | str | bool | None] = {"offset": seen.offset, "length": seen.length}
    if not seen.aligned:
        common = min(seen.places, seen.length - seen.offset) if seen.offset >= 0 else seen.places + seen.offset
        if seen.length == seen.places and common > seen.length / 2:
            return
        yield Evidence(
            where=where,
            saw=f"{common} of {seen.places} target values are input values, starting at position "
            f"{max(0, seen.offset)} of {seen.length}",
            wanted="targets that come after the last input",
            severity=Severity.WARNING if seen.whole_numbers else None,
            likely="the target window is cut one or more steps too early",
            do="print the indices of one input window and of its target, and start the target after the input's end",
            numbers=numbers,
        )
    elif seen.offset == 0 and seen.whole_numbers and seen.causal:
        yield Evidence(
            where=where,
            saw="the target at every position is the token given at that position, and the model sees it",
            wanted="the token at the next position",
            numbers=numbers,
        )
    elif seen.offset < 0 or (seen.offset > 1 and seen.whole_numbers):
        behind = seen.offset < 0
        yield Evidence(
            where=where,
            saw=f"the target is always the input {abs(seen.offset)} places {'earlier' if behind else 'later'}",
            wanted="the input at the next position",
            cause="data-leak-target" if behind else "data-label-misaligned",
            severity=Severity.WARNING,
            likely="shifted the wrong way" if behind else "shifted twice: by the dataset and by the model",
            do="shift once: `inputs[:, :-1]` against `targets[:, 1:]`, or leave the shift to the model",
            numbers=numbers,
        )


CHECK = Check(
    id="FL135",
    summary="the target of a sequence is a piece of its own input",
    causes=("data-leak-future", "data-leak-target", "data-label-misaligned"),
    likely="the labels were not shifted: the model is asked for what it is given",
    fix="shift the labels by one position against the inputs, once",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
