"""Activations grow without bound.

## What it sees
The outputs of a layer have grown to more than a hundred times their size at the first look, and to more than a hundred
times that of the median layer then. Or they exceed a tenth of what 16-bit floats can hold.

## When it is fine
Output layers grow as a model becomes confident, but by tens, not by hundreds. A layer that started near zero may grow
to the size of the others.
"""

from statistics import median

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ActivationTrack


class Limits(Settable):
    times: float = 100.0
    """Largest root mean square relative to that of the first look: the layer's own or the median over all layers,
    whichever is larger."""
    half_limit: float = 6500.0
    """Largest absolute output in 16 bits, a tenth of the largest float16 number."""


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
                wanted=f"less than {limits.times:g} times the size at the first look"
                if grown
                else f"outputs below {limits.half_limit:g} in 16 bits",
                cause=None if grown else "num-precision",
                numbers={"now": module.rms_now, "start": module.rms_start, "absmax": module.absmax},
            )
            return


CHECK = Check(
    id="FL472",
    summary="activations grow without bound",
    causes=("arch-exploding", "hp-lr-high", "num-precision", "num-logit-growth"),
    likely="the weights diverge, or the residual stream is never normalized",
    fix="lower the learning rate, or put a normalization before the layer",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
