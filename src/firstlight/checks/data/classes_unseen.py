"""Some validation examples belong to classes that no training example has.

## What it sees
All labels of the training split are compared with those of the validation split. A class that is never trained on is
never predicted correctly.

## When it is fine
Retrieval and few-shot learning are validated on new classes on purpose: no validation class is then a training class,
which gives only a note. A rare class that ended up on one side gives a note too.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import LabelsSeen


class Limits(Settable):
    share: float = 0.01
    """Smallest share of the validation examples for a warning; fewer are rare classes that ended up on one side."""


def find(seen: LabelsSeen, limits: Limits) -> Found:
    if not seen.whole or not seen.unseen_examples:
        return
    some = ", ".join(map(str, seen.unseen)) + (", …" if seen.unseen_classes > len(seen.unseen) else "")
    share = seen.unseen_examples / seen.val
    classes = "a class" if seen.unseen_classes == 1 else f"{seen.unseen_classes} classes"
    meant = seen.unseen_examples == seen.val
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{seen.unseen_examples} of {seen.val} validation examples are of {classes} "
        f"without a training example: {some}",
        wanted=f"only classes among the {seen.classes} of the {seen.train} training examples",
        severity=Severity.NOTE if meant or share < limits.share else None,
        numbers={"examples": seen.unseen_examples, "classes": seen.unseen_classes, "val": seen.val},
    )


CHECK = Check(
    id="FL133",
    summary="the model is validated on classes it is never trained on",
    causes=("data-split-shift", "data-label-range"),
    likely="the data was split while sorted by class, or each split numbers its classes on its own",
    fix="split at random and stratified by class (`stratify=`), and number the classes once for all splits",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
