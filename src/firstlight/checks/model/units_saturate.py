"""Most outputs of a tanh or sigmoid layer sit at its flat ends.

## What it sees
At three looks in a row most outputs were within three per cent of the ends of the function, and more of them than at
the start.

## When it is fine
Gates and output layers are meant to decide, and saturate as they learn; only layers where it is extreme are told of.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ActivationTrack


class Limits(Settable):
    share: float = 0.9
    """Of the outputs."""
    growth: float = 0.1
    """By which the share must have grown since the first look, unless it began there."""


def find(track: ActivationTrack, limits: Limits) -> Found:
    for module in track.modules:
        began = module.saturated_start >= limits.share
        if module.saturated >= limits.share and (began or module.saturated > module.saturated_start + limits.growth):
            yield Evidence(
                where=Where(module=module.name, step=track.step, rank=track.rank),
                saw=f"{module.saturated:.0%} of the outputs of `{module.name}` ({module.kind}) sit at its flat ends; "
                f"at the "
                f"first look {module.saturated_start:.0%} did",
                wanted=f"less than {limits.share:.0%}",
                numbers={"saturated": module.saturated, "start": module.saturated_start},
            )
            return


CHECK = Check(
    id="FL471",
    summary="most outputs of a tanh or sigmoid layer sit at its flat ends",
    causes=("data-scale", "arch-init", "hp-lr-high"),
    likely="inputs or weights are too large, and no gradient comes back through the layer",
    fix="scale the inputs to about unit variance; put a normalisation before the layer",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
