"""The model's last activation cannot reach the targets.

## What it sees
The prediction given to a regression loss is the direct output of a ReLU, sigmoid, tanh or softmax, and a good part
of the targets lies outside what that activation can give: negative ones for a ReLU, beyond 0 to 1 for a sigmoid.

## When it is fine
Targets that stay within the range, with a rare outlier beyond it, are not reported; neither is an activation whose
output is scaled afterwards.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at

REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
REACH = {"relu": (0.0, math.inf), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    calls: int = 3
    """Fewer batches may be odd."""
    deviations: float = 0.75
    """Standard deviations from the mean of the targets that must still be within reach: about a fifth of normally
    distributed targets lie further out on one side."""
    excess: float = 0.25
    """Of a standard deviation, that the furthest target must lie beyond the reach."""


def find(loss: LossSite, limits: Limits) -> Iterator[Evidence]:
    reach, target = REACH.get(loss.made_by or ""), loss.target
    if reach is None or target is None or loss.function not in REGRESSION or loss.calls < limits.calls:
        return
    usual = limits.deviations * target.std
    below = target.mean - usual < reach[0] and target.low < reach[0] - limits.excess * target.std
    above = target.mean + usual > reach[1] and target.high > reach[1] + limits.excess * target.std
    if not (below or above):
        return
    given = "0 and above" if reach[1] == math.inf else f"{reach[0]:g} to {reach[1]:g}"
    yield Evidence(
        where=at(loss.made_at or loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"the prediction for `{loss.function}` is the output of {loss.made_by} ({given}); the targets go from "
        f"{target.low:.3g} to {target.high:.3g}, with mean {target.mean:.3g}",
        wanted="an output that can take every value of the targets",
        do=f"remove the {loss.made_by} from the last layer, or scale the targets into {given}",
        numbers={"low": target.low, "high": target.high, "mean": target.mean},
    )


CHECK = Check(
    id="FL211",
    name="output-out-of-reach",
    summary="the last activation of the model cannot reach the targets",
    causes=("arch-output",),
    likely="an activation left on the output layer of a regression",
    fix="remove the activation from the last layer, or scale the targets into its range",
    severity=Severity.ERROR,
    confidence=0.96,
    needs=LossSite,
    limits=Limits(),
    find=find,
)
