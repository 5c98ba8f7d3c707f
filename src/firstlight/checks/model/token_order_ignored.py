"""A model that attends to its own sequence does not know the order of its tokens.

## What it sees
In eval mode two tokens of one input exchange their places in every row. The output does not change, nor do its later
places where it has one for each token, while another token in one of the places changes it. Attention by itself does
not see order.

## When it is fine
Sets and bags, where order means nothing: allow it. Models whose places do not attend to one another are not asked; of
several layers that look back alone, later ones know the order without being told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Relative difference of two equal calls up to which the model answers alike."""
    swapped: float = 1e-5
    """Relative change of the output that rounding can make."""
    replaced: float = 1e-3
    """From here on a single token matters."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    order = symmetry.order
    if order is None or not symmetry.again <= limits.again:
        return
    if not (order.swapped <= limits.swapped and order.replaced >= limits.replaced):
        return
    yield Evidence(
        where=at(order.site or symmetry.site, module=order.layer, step=symmetry.step, rank=symmetry.rank),
        saw=f"two tokens exchanged in every row change the output by {order.swapped:.0e}, another token in one of the "
        f"places by {order.replaced:.1%}",
        wanted="an output that depends on the order",
        numbers={"swapped": order.swapped, "replaced": order.replaced},
    )


CHECK = Check(
    id="FL418",
    summary="self-attention without positions: the order of the tokens is lost",
    causes=("arch-position",),
    likely="no positional encoding is added to the embeddings, or it is computed and not used",
    fix="add a positional encoding to the embeddings before the first attention layer",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
