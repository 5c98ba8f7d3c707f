"""An attention mask hides the tokens and shows the padding.

## What it sees
A mask with one row per example is compared with the token ids that the model was given. All visible places hold one and
the same id, and the hidden ones hold many different ids.

## When it is fine
A correct padding mask is the other way round, showing many ids and hiding one, and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import KeysMasked


class Limits(Settable):
    blocked: int = 4
    """Fewest different ids that are hidden; fewer may be special tokens."""
    examples: int = 4
    """Fewest examples in the batch; fewer may contain the same words by chance."""


def find(mask: KeysMasked, limits: Limits) -> Found:
    if mask.kept != 1 or mask.blocked < limits.blocked or mask.examples < limits.examples:
        return
    yield Evidence(
        where=at(mask.site, step=mask.step, rank=mask.rank),
        saw=f"the mask of {mask.examples} examples hides {mask.blocked} different tokens, and all visible places hold "
        "the same one",
        wanted="a mask that hides the padding",
        numbers={"kept": mask.kept, "blocked": mask.blocked},
    )


CHECK = Check(
    id="FL455",
    summary="the padding mask is inverted: attention sees the padding and none of the tokens",
    causes=("arch-mask",),
    likely="in `nn.MultiheadAttention` and similar modules True means blocked; elsewhere it often means a real token",
    fix="invert the mask (`~mask`)",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
