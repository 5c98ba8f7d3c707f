"""Each query attends to a single position from the start.

## What it sees
The attention weights of `scaled_dot_product_attention` on the first batch are recomputed from queries and keys. Their
entropy is a tiny share of that of uniform attention, and the largest score before the softmax is large.

## When it is fine
Pretrained models attend sharply and are judged by the same numbers: declare such a model as an experiment of its own,
or ignore this finding.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import AttentionRows


class Limits(Settable):
    entropy: float = 0.05
    """Smallest entropy, as a share of that of uniform attention; usual initializations are above 0.9."""
    score: float = 30.0
    """Largest score before the softmax; above it, the largest takes everything in any precision."""


def find(rows: AttentionRows, limits: Limits) -> Found:
    if not (rows.entropy < limits.entropy and rows.largest_score > limits.score):
        return
    yield Evidence(
        where=at(rows.site, module=rows.name, rank=rows.rank),
        saw=f"attention over {rows.keys} keys has {rows.entropy:.1%} of the entropy of uniform attention, "
        f"with scores up to {rows.largest_score:.0f}",
        wanted=f"at least {limits.entropy:.0%} at the start",
        numbers={"entropy": rows.entropy, "score": rows.largest_score},
    )


CHECK = Check(
    id="FL441",
    summary="each query attends to a single position from the start",
    causes=("num-logit-growth", "arch-init", "data-scale"),
    likely="queries and keys are too large: the inputs are not normalized, or the scores are not divided by the root "
    "of the width",
    fix="normalize before the projections, keep the default scale, or normalize queries and keys",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
