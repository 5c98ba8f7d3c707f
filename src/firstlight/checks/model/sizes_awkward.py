"""Large matrices have sizes that half-precision hardware must pad.

## What it sees
The sizes of weight matrices. Matrix units compute in tiles, and a large size that is not a multiple of eight leaves
them partly or entirely unused.

## When it is fine
On a CPU, in full precision, or when the size cannot be chosen. It costs only speed, so it is a note, reported only if
the experiment declares a half `precision`.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Weights

TILE = 8


class Limits(Settable):
    size: int = 512
    """Smallest side of a matrix that counts; smaller matrices are not worth the trouble."""


def find(weights: Weights, limits: Limits) -> Found:
    if not weights.half:
        return
    odd = [(group, size) for group in weights.groups for size in group.shape[:2] if size >= limits.size and size % TILE]
    if odd:
        group, size = odd[0]
        more = f" (and {len(odd) - 1} more like it)" if len(odd) > 1 else ""
        yield Evidence(
            where=at(weights.site, module=group.name, rank=weights.rank),
            saw=f"`{group.name}` is {' x '.join(map(str, group.shape))}{more}",
            wanted=f"multiples of {TILE}, such as {size + -size % TILE} for {size}",
            numbers={"size": size, "matrices": len(odd)},
        )


CHECK = Check(
    id="FL446",
    summary="large matrices have sizes that are not multiples of eight",
    causes=("null-slow",),
    likely="a vocabulary or a width was taken as it came",
    fix="round the size up; unused rows of an embedding or an output do no harm",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
