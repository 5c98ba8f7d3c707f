"""An example's output depends on its place in the batch.

## What it sees
The model is asked twice in eval mode, the second time with the examples moved one place on. Each output should move
with its example. Where it does not, something was added by the row: a positional encoding along the batch, a mask or a
state kept for each row.

## When it is fine
Models that do not give the same answer twice, and calls with inputs that have no row for each example, are not asked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Relative difference of two equal calls up to which the model answers alike."""
    placed: float = 1e-3
    """Relative change of the outputs that rounding cannot make."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    if symmetry.placed is None or not (symmetry.placed >= limits.placed and symmetry.again <= limits.again):
        return
    yield Evidence(
        where=at(symmetry.site, step=symmetry.step, rank=symmetry.rank),
        saw=f"with the examples moved one place on in the batch, their outputs change by {symmetry.placed:.1%}",
        wanted="the same output for an example wherever it stands",
        numbers={"placed": symmetry.placed, "again": symmetry.again},
    )


CHECK = Check(
    id="FL416",
    summary="an example's output depends on its place in the batch",
    causes=("arch-position", "arch-batch-mixing"),
    likely="a positional encoding is indexed by the batch axis (`batch_first` and the encoding disagree), or examples "
    "mix",
    fix="add the encoding along the sequence: `pe[:, :x.size(1)]` for (batch, length, width)",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
    symptom=True,
)
