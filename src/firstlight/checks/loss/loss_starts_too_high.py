"""The first loss is far above that of a blind guess.

## What it sees
Before it has learnt anything, a classifier should score about the logarithm of the number of classes. This one begins
at a multiple of that: it is confidently wrong from the start. Copies of the program, one with freshly initialised
layers and one with standardised inputs, decide: it is reported when one of them learns and the program hardly does.

## When it is fine
A checkpoint trained on another task may begin high, and learns all the same. Other losses, first losses that are too
low, and experiments that are not trained here are judged by `initial-loss-off` (FL230).
"""

import math
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    ratio: float = 2.5
    """First loss over that of a guess; healthy models begin between 0.9 and 1.5."""


def find(loss: LossSite, limits: Limits) -> Iterator[Evidence]:
    shape = loss.prediction.shape
    if loss.function not in ("cross_entropy", "nll_loss") or len(shape) < 2 or loss.first_value is None:  # noqa: PLR2004
        return
    guess = math.log(max(2, shape[1]))
    if not loss.first_value > limits.ratio * guess:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"the first losses are {loss.first_value:.3g}; the scores go from {loss.prediction.low:.3g} to "
        f"{loss.prediction.high:.3g}",
        wanted=f"about {guess:.3g}, that of a guess among {shape[1]} classes",
        numbers={"first": loss.first_value, "guess": guess},
    )


CHECK = Check(
    id="FL212",
    name="loss-starts-too-high",
    summary="the first loss is far above that of a blind guess",
    causes=("data-scale", "arch-init"),
    likely="inputs that were never scaled, or weights initialised far too large",
    fix="standardise the inputs, and leave the layers with torch's own initialisation",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.4,
    find=find,
    repairs=("standardised", "reinitialise"),
)
