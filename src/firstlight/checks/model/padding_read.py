"""The answer to a sequence rests on its padding.

## What it sees
For most padded examples of a batch, more than half of the output's gradient with respect to the embedded tokens lies
on padding: the model reads the filling rather than the text, as when the last position of a padded batch is taken
for the last word. Or batches are as wide as their longest example, and with as much padding again the answers to most
examples change: they rest on how long the others are, as when a sum over the tokens is divided by the padded width.

## When it is fine
A mask, packed sequences, or reading each example at its own length leave the padding without a gradient. Models that
answer position by position are not asked.
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
"""By what was asked: what is wrong, and what is wanted."""


class Limits(Settable):
    rows: int = 6
    """Padded examples; fewer are no evidence."""
    share: float = 0.6
    """Of them, that must rest on their padding."""


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
    summary="the model's answer rests on the padding",
    causes=("data-padding",),
    likely="the last position of a padded batch is read, or padding takes part in pooling, its count or attention",
    fix="read each example at its own length (`pack_padded_sequence`, or index it), pass a padding mask, or divide by "
    "the number of its own tokens",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
