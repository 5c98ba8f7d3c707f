"""Inputs and labels are related in one way in training and in another in evaluation.

## What it sees
A kernel regression is fitted to a few hundred training examples, and another one to a few hundred of the examples that
the program evaluates. Each predicts labels of its own side that it was not fitted to, but the first one fails on the
evaluated examples. It is reported only if the reason is known: the inputs of both sides have the same distribution, so
that only their meaning can differ; or the codes of a column go with other labels; or the fit is right once the classes
are renumbered, or once the inputs of each side are on a scale of their own. The labels of evaluated examples are known
if they come from a loader as those of training do, or meet the predictions in a call of torch or of `sklearn.metrics`.

## When it is fine
The evaluated examples may belong to another task on purpose, as in continual learning. A shift that leaves a good part
of the relation intact is not reported, and neither are other subjects or later times whose inputs differ.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.held_out import Transfer
from firstlight.records.relations import Relations

Reason = tuple[str, str, str]
"""What else was seen, the cause it speaks for, and what probably happened."""


class Limits(Settable):
    agreement: float = 0.3
    """Smallest correlation of predicted and true labels within each side; less is too little to be missed."""
    deviations: float = 6.0
    """Smallest distance of both from 0, in standard deviations of luck; several kinds of fits and ridges are tried."""
    left: float = 0.4
    """Largest share of it that may be left from one side to the other; shifts in the data leave more."""
    interval: float = 2.0
    """Standard deviations of luck that are added to what is left."""
    alike: float = 0.2
    """Largest correlation with the side an example is on, by which the inputs of both sides count as alike."""
    mended: float = 0.8
    """Smallest share that one change must bring back to count as the reason."""


def find(relations: Relations, limits: Limits) -> Found:
    seen = relations.seen.transfer
    sides = ((seen.here, seen.trained), (seen.there, seen.evaluated))
    if not all(rows > 0 and told >= max(limits.agreement, limits.deviations / math.sqrt(rows)) for told, rows in sides):
        return
    own, luck = min(seen.here, seen.there), limits.interval / math.sqrt(seen.evaluated)
    reason = _reason(seen, limits.mended * own, limits)
    if reason is None or not seen.across + luck <= limits.left * own:
        return
    yield Evidence(
        where=at(seen.site or relations.seen.site, rank=relations.rank),
        saw=f"a simple model fitted to {seen.trained} training examples predicts labels with a correlation of "
        f"{seen.here:.2f} on other training examples and {seen.across:.2f} on evaluated ones; fitted to evaluated ones "
        f"it reaches {seen.there:.2f} there; {reason[0]}",
        wanted=f"at least {limits.left * own:.2f} for evaluated examples too",
        cause=reason[1],
        likely=reason[2],
        numbers={"here": seen.here, "there": seen.there, "across": seen.across, "apart": seen.apart},
    )


def _reason(seen: Transfer, mended: float, limits: Limits) -> Reason | None:
    if seen.relabelled >= mended:
        told = f"with the classes renumbered, the first fit reaches {seen.relabelled:.2f} there"
        return told, "data-label-range", "the classes are numbered separately for each side"
    if seen.columns:
        told = f"the codes in {_named(seen.columns)} go with other labels there"
        return told, "data-split-shift", "the categories are encoded separately for each side"
    if seen.rescaled >= mended:
        told = f"with each side's inputs on its own scale, the first fit reaches {seen.rescaled:.2f} there"
        return told, "data-split-shift", "a scaler is applied to one side only, or fitted to something else"
    if seen.apart <= limits.alike:
        told = "the inputs of both sides have the same distribution"
        return told, "data-split-shift", "the columns have another order on one side, or its labels another encoding"
    return None


def _named(columns: tuple[tuple[int, int], ...]) -> str:
    first = columns[0][0]
    numbers = [str(column) for given, column in columns if given == first]
    listed = ", ".join(numbers[:-1]) + f" and {numbers[-1]}" if len(numbers) > 1 else numbers[0]
    return f"column{'s' * (len(numbers) > 1)} {listed} of `input {first}`"


CHECK = Check(
    id="FL179",
    summary="inputs and labels are related differently in training and evaluation",
    causes=("data-split-shift", "data-label-range", "data-schema"),
    likely="inputs or labels of the two are encoded by different code, or by the same code fitted twice",
    fix="fit encoders, vocabularies and scalers once, to the training data, and apply them to both sides",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    since="0.2",
)
