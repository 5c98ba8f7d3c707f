"""An example's output depends on its position in the batch.

## What it sees
The model is called twice in eval mode, the second time with the examples moved by one position. Each output should move
with its example. If it does not, something depends on the row: a positional encoding along the batch, or a mask or
state kept for each row.

## When it is fine
Models whose output differs between two identical calls are not tested, nor are calls with inputs that do not have one
row per example.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Largest relative difference between two identical calls of the model."""
    placed: float = 1e-3
    """Smallest relative change of the outputs, more than rounding can cause."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    if symmetry.placed is None or not (symmetry.placed >= limits.placed and symmetry.again <= limits.again):
        return
    yield Evidence(
        where=at(symmetry.site, step=symmetry.step, rank=symmetry.rank),
        saw=f"with the examples moved by one position in the batch, their outputs change by {symmetry.placed:.1%}",
        wanted="the same output for an example at any position",
        numbers={"placed": symmetry.placed, "again": symmetry.again},
    )


CHECK = Check(
    id="FL416",
    summary="an example's output depends on its position in the batch",
    causes=("arch-position", "arch-batch-mixing"),
    likely="a positional encoding is indexed by the batch axis (`batch_first` and the encoding disagree), or examples "
    "mix",
    fix="add the encoding along the sequence: `pe[:, :x.size(1)]` for (batch, length, width)",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
    symptom=True,
)
