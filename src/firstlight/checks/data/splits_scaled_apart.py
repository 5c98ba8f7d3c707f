"""The training data and the evaluation data were each scaled by their own statistics.

## What it sees
Columns have mean 0 and standard deviation 1, up to rounding, over all training examples, and again over all examples of
an evaluation; or they range from exactly 0 to 1 in both. A scaler fitted on one side only is off on the other side by
chance (one part in the square root of its rows) or by as much as the two differ. So it was fitted twice, and what sets
the splits apart (a season, another site) is gone from the inputs but still in the labels.

That does harm only where something sets them apart. So it is a warning where the labels of the two differ by more than
chance, or a plain fit to training data does worse on evaluated data than a fit to those; and a note otherwise.

## When it is fine
Data scaled in parts (each example, batch, recording or day separately) is not reported if there are several of them,
nor are columns of a few values that come as often on both sides. A single held-out recording that is scaled separately
on purpose looks like a mistake: allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import SplitsScaled


class Limits(Settable):
    columns: int = 1
    """Fewest columns exactly scaled on both sides; even for one, the odds of chance are one in a hundred million."""
    crowded: int = 2
    """Most evaluations in a row with just one step in between; with more, they are part of the training."""
    parted: float = 6.0
    """Deviations of chance by which labels, or fits to them, differ between the splits for a warning; random parts of
    the same rows stay below 5, and are on nearly one scale whoever fits it."""


def find(scaled: SplitsScaled, limits: Limits) -> Found:
    feed = scaled.feed
    for fed in feed.inputs:
        scale = fed.own_scale
        if scale.columns < limits.columns or feed.crowded > limits.crowded:
            continue
        how = "have mean 0 and deviation 1 up to rounding" if scale.kind == "unit" else "range from 0 to 1 exactly"
        what = f"{scale.columns:,} columns" if scale.columns > 1 else "values"
        yield Evidence(
            where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
            saw=f"{what} of `{fed.train.name}` {how} over the {scale.trained:,} training rows, and again over the "
            f"{scale.evaluated:,} rows of an evaluation",
            wanted="one scale, fitted on the training data and used for both",
            severity=Severity.WARNING if scaled.parted >= limits.parted else Severity.NOTE,
            numbers={
                "parted": scaled.parted,
                "columns": scale.columns,
                "trained": scale.trained,
                "evaluated": scale.evaluated,
            },
        )


CHECK = Check(
    id="FL177",
    summary="each split was scaled by its own statistics",
    causes=("data-split-shift",),
    likely="the scaler is fitted again on the evaluated split: `fit_transform`, or its own mean and deviation",
    fix="fit the scaler on the training split, and only apply it to the others: `transform`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
