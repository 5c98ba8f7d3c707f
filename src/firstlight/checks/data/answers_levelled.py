"""Answers that differ become the same on their way to the loss.

## What it sees
A call between the stored answers and the place where predictions meet them. Measured numbers are cast to whole ones or
cut off, so that a good part of what they differ by is gone. Classes for which the network has an output are taken for
others, by a modulo or a clamp, or are the one that the loss is told to ignore although there is one answer an example,
or although it stands among the answers of a sequence and not at their end: the network never learns to give them.

## When it is fine
Answers that are meant to be yes or no, numbers that are whole already, classes that the network has no output for, and
padding, which is ignored at the ends of sequences.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Levelling


class Limits(Settable):
    looks: int = 2
    """One batch may be an odd one."""
    merged: float = 0.1
    """Of the pairs of numbers, made the same; clipping the outermost values gives a few hundredths."""
    lost: float = 0.05
    """Of the variance; rounding to a tenth of the spread loses a thousandth."""
    gone: int = 1
    """Classes, in every batch that was looked at."""


def find(levelling: Levelling, limits: Limits) -> Found:
    if levelling.of == "inputs" or levelling.looks < limits.looks:
        return
    where = at(levelling.call.site, step=levelling.step, rank=levelling.rank)
    if levelling.of == "classes" and levelling.gone >= limits.gone:
        how = "ignores" if levelling.ignored else "takes for others"
        several = "a class" if levelling.gone == 1 else f"{levelling.gone} classes"
        yield Evidence(
            where=where,
            saw=f"`{levelling.call.operation}` {how} {several} that the network has an output for and the answers hold",
            wanted="every class among the answers counts as itself",
            cause="data-labels-masked" if levelling.ignored else "data-label-range",
            likely="the id of padding is that of a class" if levelling.ignored else "the number of classes is one off",
            numbers={"gone": levelling.gone},
        )
    elif levelling.of == "answers" and levelling.merged >= limits.merged and levelling.lost >= limits.lost:
        yield Evidence(
            where=where,
            saw=f"`{levelling.call.operation}` loses {levelling.lost:.0%} of what the answers differ by: many of them "
            "have become the same",
            wanted="answers as they were measured",
            numbers={"merged": levelling.merged, "lost": levelling.lost},
        )


CHECK = Check(
    id="FL186",
    summary="answers that differ become the same on their way to the loss",
    causes=("data-schema", "data-label-range", "data-labels-masked"),
    likely="measured numbers are treated as classes, or scaled to a range that the next call cuts off",
    fix="print the answers before and after this line; keep their type and range as the loss needs them",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
