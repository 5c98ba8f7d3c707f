"""Activations grow without bound.

## What it sees
The outputs of a layer are a hundred times what they, and those of the usual layer, were at the first look, or a tenth
of what 16-bit floats can hold.

## When it is fine
Output layers grow as a model becomes sure of itself, by tens, not by hundreds. A layer that began near zero may grow to
the size of the others.
"""

from statistics import median

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ActivationTrack


class Limits(Settable):
    times: float = 100.0
    """Root mean square over that of the first look, its own or the median of all layers, whichever is larger."""
    half_limit: float = 6500.0
    """A tenth of the largest number of float16."""


def find(track: ActivationTrack, limits: Limits) -> Found:
    usual = median(module.rms_start for module in track.modules) if track.modules else 0.0
    for module in track.modules:
        began = max(usual, module.rms_start)
        grown = module.rms_start >= 0 < began and module.rms_now > limits.times * began and module.looks > 1
        if grown or (module.half and module.absmax > limits.half_limit):
            yield Evidence(
                where=Where(module=module.name, step=track.step, rank=track.rank),
                saw=f"the outputs of `{module.name}` have a root mean square of {module.rms_now:.3g} (largest "
                f"{module.absmax:.3g}); at the first look it was {module.rms_start:.3g}",
                wanted=f"less than {limits.times:g} times the first"
                if grown
                else f"below {limits.half_limit:g} in 16 bits",
                cause=None if grown else "num-precision",
                numbers={"now": module.rms_now, "start": module.rms_start, "absmax": module.absmax},
            )
            return


CHECK = Check(
    id="FL472",
    summary="activations grow without bound",
    causes=("arch-exploding", "hp-lr-high", "num-precision", "num-logit-growth"),
    likely="weights run away, or the residual stream is never normalised",
    fix="lower the learning rate; put a normalisation in front of the layer",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
