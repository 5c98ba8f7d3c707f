"""Attention looks at a single place from the start.

## What it sees
The weights of `scaled_dot_product_attention` on the first batch, recomputed from queries and keys: their entropy as a
share of that of even attention, and the largest score before the softmax.

## When it is fine
Pretrained models attend sharply; their calls are judged by the same numbers, so declare them apart or ignore this.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import AttentionRows


class Limits(Settable):
    entropy: float = 0.05
    """Share of even attention's; usual starts are above 0.9."""
    score: float = 30.0
    """Before the softmax; from there on the largest takes all in every precision."""


def find(rows: AttentionRows, limits: Limits) -> Found:
    if not (rows.entropy < limits.entropy and rows.largest_score > limits.score):
        return
    yield Evidence(
        where=at(rows.site, module=rows.name, rank=rows.rank),
        saw=f"attention over {rows.keys} keys has {rows.entropy:.1%} of the entropy of even attention, "
        f"with scores up to {rows.largest_score:.0f}",
        wanted=f"at least {limits.entropy:.0%} at the start",
        numbers={"entropy": rows.entropy, "score": rows.largest_score},
    )


CHECK = Check(
    id="FL441",
    summary="attention looks at a single place from the start",
    causes=("num-logit-growth", "arch-init", "data-scale"),
    likely="queries and keys of a large scale: inputs not normalised, or no division by the root of the width",
    fix="normalise before the projections, keep the default scale, or normalise queries and keys",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
