"""A self-attention model does not know the order of its tokens.

## What it sees
In eval mode, two tokens of one input swap places in every row. Neither the output nor, if there is an output for each
token, the outputs at later positions change, although replacing one of the two tokens changes them. Attention by itself
is blind to order.

## When it is fine
Sets and bags, whose order means nothing: allow the finding. Models whose positions do not attend to one another are not
tested. In a stack of layers that only look back, later layers know the order without being given positions.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Largest relative difference between two identical calls of the model."""
    swapped: float = 1e-5
    """Largest relative change of the output that rounding can cause."""
    replaced: float = 1e-3
    """Smallest relative change of the output by another token; above it, a single token matters."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    order = symmetry.order
    if order is None or not symmetry.again <= limits.again:
        return
    if not (order.swapped <= limits.swapped and order.replaced >= limits.replaced):
        return
    yield Evidence(
        where=at(order.site or symmetry.site, module=order.layer, step=symmetry.step, rank=symmetry.rank),
        saw=f"swapping two tokens in every row changes the output by {order.swapped:.0e}, replacing one of them by "
        f"{order.replaced:.1%}",
        wanted="an output that depends on the order of the tokens",
        numbers={"swapped": order.swapped, "replaced": order.replaced},
    )


CHECK = Check(
    id="FL418",
    summary="self-attention without positions: the order of the tokens is lost",
    causes=("arch-position",),
    likely="no positional encoding is added to the embeddings, or it is computed but not used",
    fix="add a positional encoding to the embeddings before the first attention layer",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
