"""What the training examples tell of their answers does not hold for the evaluated ones.

## What it sees
A kernel regression is fitted to a few hundred training examples, and another one to a few hundred of the examples that
the program evaluates. Each predicts answers of its own side that it was not fitted on, but the first predicts next to
nothing of the evaluated answers. That is reported where something tells why: the inputs of both sides are alike, so
that only what they mean can differ; or the codes of a column go with other answers; or the fit is right with the
classes numbered in another way, or with each side's inputs on its own scale. Answers of evaluated examples are known if
they come from a loader as those of training do, or meet the predictions in a call of torch or of `sklearn.metrics`.

## When it is fine
The evaluated examples may be of another task on purpose, as in continual learning. A shift that leaves a good part of
the relation as it was is not reported, and neither are other subjects or later times whose inputs differ.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations, Transfer

Reason = tuple[str, str, str]
"""What else was seen, the cause it speaks for, and what probably happened."""


class Limits(Settable):
    agreement: float = 0.3
    """Smallest correlation of predicted and true answers within each side; less is too little to be missed."""
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
        saw=f"a plain fit to {seen.trained} training examples predicts answers with a correlation of {seen.here:.2f} "
        f"for other training examples and {seen.across:.2f} for evaluated ones, which a fit to some of them predicts "
        f"with {seen.there:.2f}; {reason[0]}",
        wanted=f"at least {limits.left * own:.2f} for evaluated examples too",
        cause=reason[1],
        likely=reason[2],
        numbers={"here": seen.here, "there": seen.there, "across": seen.across, "apart": seen.apart},
    )


def _reason(seen: Transfer, mended: float, limits: Limits) -> Reason | None:
    if seen.relabelled >= mended:
        told = f"with the classes numbered in another way, the first fit gets {seen.relabelled:.2f} there"
        return told, "data-label-range", "each side numbers its classes by itself"
    if seen.columns:
        told = f"the codes in {_named(seen.columns)} go with other answers there"
        return told, "data-split-shift", "each side gives out the codes of its categories by itself"
    if seen.rescaled >= mended:
        told = f"with each side's inputs on its own scale, the first fit gets {seen.rescaled:.2f} there"
        return told, "data-split-shift", "a scaler is applied to one side only, or fitted to something else"
    if seen.apart <= limits.alike:
        told = "by their inputs alone, the examples of both sides cannot be told apart"
        return told, "data-split-shift", "columns come in another order on one side, or its answers in another code"
    return None


def _named(columns: tuple[tuple[int, int], ...]) -> str:
    first = columns[0][0]
    numbers = [str(column) for given, column in columns if given == first]
    listed = ", ".join(numbers[:-1]) + f" and {numbers[-1]}" if len(numbers) > 1 else numbers[0]
    return f"column{'s' * (len(numbers) > 1)} {listed} of `input {first}`"


CHECK = Check(
    id="FL179",
    summary="what the training examples tell of their answers does not hold for the evaluated ones",
    causes=("data-split-shift", "data-label-range", "data-schema"),
    likely="inputs or answers of the two are encoded by different code, or by the same code fitted twice",
    fix="fit encoders, vocabularies and scalers once, to the training data, and apply them to both sides",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    since="0.2",
)
