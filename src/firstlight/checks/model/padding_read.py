"""The output for a sequence depends on its padding.

## What it sees
For most padded examples of a batch, more than half of the output's gradient with respect to the embedded tokens lies on
padding: the model reads the padding rather than the text, for example because the last position of a padded batch is
taken for the last word. Or batches are as wide as their longest example, and doubling that width with padding changes
the outputs of most examples: they depend on how long the others are, for example because a sum over the tokens is
divided by the padded width.

## When it is fine
With a mask, with packed sequences, or when each example is read at its own length, the padding gets no gradient. Models
that predict something for each position are not checked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.timelines import Dependence

SAID = {
    "padding": ("depends mostly on the padding", "outputs that depend on the tokens before it"),
    "width": (
        "changes when the batch is padded to twice its width",
        "an output that does not depend on how long the other examples of the batch are",
    ),
}
"""For each kind of probe: what is wrong, and what is wanted."""


class Limits(Settable):
    rows: int = 6
    """Fewest padded examples; fewer are no evidence."""
    share: float = 0.6
    """Smallest share of the padded examples whose output depends on padding."""


def find(dependence: Dependence, limits: Limits) -> Found:
    if dependence.kind not in SAID or dependence.of < limits.rows:
        return
    if dependence.others < limits.share * dependence.of:
        return
    saw, wanted = SAID[dependence.kind]
    yield Evidence(
        where=at(dependence.site, step=dependence.step, rank=dependence.rank),
        saw=f"for {dependence.others} of {dependence.of} padded examples the output {saw}",
        wanted=wanted,
        numbers={"resting": dependence.others, "of": dependence.of},
    )


CHECK = Check(
    id="FL414",
    summary="the model's output depends on the padding",
    causes=("data-padding",),
    likely="the last position of a padded batch is read, or padding takes part in pooling, its count or attention",
    fix="read each example at its own length (`pack_padded_sequence`, or index it), pass a padding mask, or divide by "
    "the number of its real tokens",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
