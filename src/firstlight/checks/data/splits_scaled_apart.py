"""What is trained on and what is evaluated were scaled each by statistics of its own.

## What it sees
Columns have mean 0 and deviation 1 to rounding over all examples trained on, and again over all examples of an
evaluation, or reach from 0 to 1 in both. A scaler that was fitted on the one side alone leaves the other off by what
chance makes, one part in the root of its rows, or by as much as the two differ. It was fitted twice, and what sets the
splits apart (a season, another site) is gone from the inputs, while the answers still have it.

## When it is fine
What is scaled in parts (each example, batch, recording or day by itself) is not told where there are several of them,
nor are columns of a few values that come as often on both sides. A single recording that is held back and scaled by
itself on purpose looks like a mistake: allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    columns: int = 1
    """Exact on both sides; that a single one is by chance has odds of one to a hundred million."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for fed in feed.inputs:
        scale = fed.own_scale
        if scale.columns < limits.columns or feed.crowded > limits.crowded:
            continue
        how = "have mean 0 and deviation 1 to rounding" if scale.kind == "unit" else "reach from 0 to 1 exactly"
        what = f"{scale.columns:,} columns" if scale.columns > 1 else "values"
        yield Evidence(
            where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
            saw=f"{what} of `{fed.train.name}` {how} over the {scale.trained:,} rows trained on, and again over the "
            f"{scale.evaluated:,} rows of an evaluation",
            wanted="a scale that is fitted to what is trained on, and used for both",
            numbers={"columns": scale.columns, "trained": scale.trained, "evaluated": scale.evaluated},
        )


CHECK = Check(
    id="FL177",
    summary="each split was scaled by statistics of its own",
    causes=("data-split-shift",),
    likely="the scaler is fitted again on the split that is evaluated: `fit_transform`, or its own mean and deviation",
    fix="fit the scale on the training split alone, and only apply it to the others: `transform`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
