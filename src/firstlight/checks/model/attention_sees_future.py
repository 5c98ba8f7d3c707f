"""An attention mask lets each position see only what comes after it.

## What it sees
The mask given to `scaled_dot_product_attention` allows the positions above the diagonal and none below it. In this
function True means "may attend"; in `nn.MultiheadAttention` it means the opposite.

## When it is fine
Anti-causal models that read a sequence backwards exist; they are rare, and most would flip the sequence instead.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import Attention


class Limits(Settable):
    least_length: int = 4
    """Fewest queries and keys; a smaller mask says little."""
    mostly: float = 0.9
    """Smallest share of the pairs above the diagonal that may attend."""
    hardly: float = 0.01
    """Largest share of the pairs below the diagonal that may attend."""


def find(mask: Attention, limits: Limits) -> Found:
    if min(mask.queries, mask.keys) < limits.least_length:
        return
    if not (mask.sees_future >= limits.mostly and mask.sees_past <= limits.hardly):
        return
    yield Evidence(
        where=at(mask.site, step=mask.step, rank=mask.rank),
        saw=f"the mask allows {mask.sees_future:.0%} of the later and {mask.sees_past:.0%} of the earlier positions",
        wanted="a causal mask that allows the earlier positions and the position itself",
        numbers={"sees_future": mask.sees_future, "sees_past": mask.sees_past},
    )


CHECK = Check(
    id="FL406",
    summary="the attention mask is inverted: positions see only what comes after them",
    causes=("arch-mask", "data-leak-future"),
    likely="a mask in the convention of `nn.MultiheadAttention` (True = blocked) is passed to "
    "`scaled_dot_product_attention` (True = may attend)",
    fix="invert the mask (`~mask`), or pass `is_causal=True`",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
