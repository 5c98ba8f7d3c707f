"""An attention mask hides the tokens and shows the padding.

## What it sees
A mask with a row for each example, beside the ids that the model was given: all places that may be looked at hold one
and the same id, and those that are hidden hold many.

## When it is fine
A mask that hides the padding shows many ids and hides one.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import KeysMasked


class Limits(Settable):
    blocked: int = 4
    """Different ids that are hidden; fewer may be special tokens."""
    examples: int = 4
    """Fewer may have the same words by chance."""


def find(mask: KeysMasked, limits: Limits) -> Found:
    if mask.kept != 1 or mask.blocked < limits.blocked or mask.examples < limits.examples:
        return
    yield Evidence(
        where=at(mask.site, step=mask.step, rank=mask.rank),
        saw=f"the mask of {mask.examples} examples hides {mask.blocked} different tokens, and what may be looked at is "
        "one and the same",
        wanted="a mask that hides the padding",
        numbers={"kept": mask.kept, "blocked": mask.blocked},
    )


CHECK = Check(
    id="FL455",
    summary="the padding mask is inverted: attention sees the padding and none of the tokens",
    causes=("arch-mask",),
    likely="in `nn.MultiheadAttention` and its like True means blocked; elsewhere it often means that a token is real",
    fix="invert the mask (`~mask`)",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
