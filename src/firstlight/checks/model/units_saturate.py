"""Most outputs of a tanh or sigmoid layer sit at its flat ends.

## What it sees
At three looks in a row, most outputs were within three percent of the limits of the function, and either clearly more
of them than at the start, or just as many from the start.

## When it is fine
Gates and output layers are meant to decide, and saturate as they learn; only extreme cases are reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ActivationTrack


class Limits(Settable):
    share: float = 0.9
    """Smallest share of the outputs that sit at the flat ends."""
    growth: float = 0.1
    """Smallest growth of that share since the first look, unless it started that high."""


def find(track: ActivationTrack, limits: Limits) -> Found:
    for module in track.modules:
        began = module.saturated_start >= limits.share
        if module.saturated >= limits.share and (began or module.saturated > module.saturated_start + limits.growth):
            yield Evidence(
                where=Where(module=module.name, step=track.step, rank=track.rank),
                saw=f"{module.saturated:.0%} of the outputs of `{module.name}` ({module.kind}) sit at its flat ends; "
                f"at the first look {module.saturated_start:.0%} did",
                wanted=f"less than {limits.share:.0%}",
                numbers={"saturated": module.saturated, "start": module.saturated_start},
            )
            return


CHECK = Check(
    id="FL471",
    summary="most outputs of a tanh or sigmoid layer sit at its flat ends",
    causes=("data-scale", "arch-init", "hp-lr-high"),
    likely="inputs or weights are too large, and no gradient comes back through the layer",
    fix="scale the inputs to about unit variance, or put a normalization before the layer",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
