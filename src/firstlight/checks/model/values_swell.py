"""Values within the network are thousands of times larger than its layers are designed for.

## What it sees
The size of the outputs of each call of the network, from the data to the last layer, at every look after the first
steps. If nothing normalizes them soon after, values above a thousand saturate activations and make the loss and its
gradients jump. Far smaller values, made by the network itself, leave only the flat ends of an activation that squashes
them: of a tanh or sigmoid before the next layer, or of the gates of a recurrent layer. The finding names the call in
which they grow most.

## When it is fine
Sums over very many elements, if the next layer was initialized for them. The output of the last layer is as large as
the targets require and is not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Swelling


class Limits(Settable):
    size: float = 1000.0
    """Largest root mean square; usual initializations keep it near 1, and raw pixels below 255 stay under the limit."""
    squashed: float = 30.0
    """The same for what is squashed; with usual weights, gates that are given a root mean square of 1 stay open, and
    ones given 30 are at their ends for nearly all examples."""
    looks: int = 2
    """Fewest looks; a single batch may be odd."""


def find(swelling: Swelling, limits: Limits) -> Found:
    limit = limits.squashed if swelling.into else limits.size
    if swelling.looks < limits.looks or not swelling.size >= limit or (swelling.into and swelling.entry):
        return
    where = f"values given to `{swelling.into}`" if swelling.into else "values within the network"
    grown = f"`{swelling.grown.operation}`"
    yield Evidence(
        where=at(swelling.grown.site, step=swelling.step, rank=swelling.rank),
        saw=f"{where} have a size of {swelling.size:.3g}; "
        + (
            f"the data are that large in the input, at {grown}"
            if swelling.entry
            else f"they grow most in {grown}, from {swelling.before:.3g}"
        ),
        wanted=f"below {limit:g}, or a normalization soon after",
        cause="data-scale" if swelling.entry else "arch-exploding",
        numbers={"size": swelling.size, "before": swelling.before, "looks": swelling.looks},
    )


CHECK = Check(
    id="FL452",
    summary="values within the network grow far too large",
    causes=("arch-exploding", "data-scale"),
    likely="inputs in raw units, weights initialized far too large, or a factor that grows from layer to layer",
    fix="standardize the inputs, use the usual initialization, or normalize between the layers",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
