"""Different labels become the same on their way to the loss.

## What it sees
A call between the stored labels and the line where predictions are compared with them loses information. Numeric
targets are cast to integers or cut off, so that a good part of their differences is gone. Or classes that the network
has an output for are turned into other classes, by a modulo or a clamp. Or such a class is the one that the loss is
told to ignore, although there is one label per example, or although it occurs inside a sequence of labels and not only
at its end, or the one that CTC takes for its blank. The network never learns to predict these classes.

## When it is fine
Labels that are meant to be yes or no, targets that are already whole numbers, classes that the network has no output
for, and padding, which is ignored at the end of sequences.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Levelling


class Limits(Settable):
    looks: int = 2
    """Fewest batches looked at; a single one may be unusual."""
    merged: float = 0.1
    """Smallest share of the pairs of targets made equal; clipping the outermost values gives a few hundredths."""
    lost: float = 0.05
    """Smallest share of the variance lost; rounding to a tenth of the spread loses a thousandth."""
    gone: int = 1
    """Fewest classes lost, in every batch looked at."""


def find(levelling: Levelling, limits: Limits) -> Found:
    if levelling.of == "inputs" or levelling.looks < limits.looks:
        return
    where = at(levelling.call.site, step=levelling.step, rank=levelling.rank)
    if levelling.of == "classes" and levelling.gone >= limits.gone:
        several = "a class" if levelling.gone == 1 else f"{levelling.gone} classes"
        several += " for which the network has an output"
        how = f"ignores {several}" if levelling.ignored else f"turns {several} into others"
        yield Evidence(
            where=where,
            saw=f"among the labels, `{levelling.call.operation}` {how}",
            wanted="every class among the labels counts as itself",
            cause="data-labels-masked" if levelling.ignored and not _blank(levelling) else "data-label-range",
            likely=_likely(levelling),
            numbers={"gone": levelling.gone},
        )
    elif levelling.of == "answers" and levelling.merged >= limits.merged and levelling.lost >= limits.lost:
        yield Evidence(
            where=where,
            saw=f"`{levelling.call.operation}` loses {levelling.lost:.0%} of the variance of the targets: many of "
            "them become equal",
            wanted="targets as they were measured",
            numbers={"merged": levelling.merged, "lost": levelling.lost},
        )


def _blank(levelling: Levelling) -> bool:
    return levelling.call.operation == "ctc_loss"


def _likely(levelling: Levelling) -> str:
    if _blank(levelling):
        return "its blank, which is 0 unless `blank=` says otherwise, is the index of a class"
    return "the padding id is that of a class" if levelling.ignored else "the number of classes is off by one"


CHECK = Check(
    id="FL186",
    summary="different labels become the same on their way to the loss",
    causes=("data-schema", "data-label-range", "data-labels-masked"),
    likely="measured numbers are treated as classes, or are scaled to a range that the next call cuts off",
    fix="print the labels before and after this line, and keep the type and range that the loss needs",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
