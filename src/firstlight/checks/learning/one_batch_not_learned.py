"""Not even one batch can be memorized, at any learning rate.

## What it sees
The program makes no progress, and neither do copies of it that get the same first batch again and again, with the
learning rate as it is, ten times and a hundred times as high. Something between the inputs and the loss is broken.
Other findings or `firstlight diagnose` may tell which part.

## When it is fine
Losses that are not meant to fall (policy gradients, adversarial losses) are not judged: only programs that a loader
feeds and that minimize one of torch's own losses are.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import BY_HEART_COPIES, Contrast, Level


class Limits(Settable):
    steps: int = 100
    """Fewest steps; fewer are not a fair trial."""
    fell: float = 0.05
    """Largest share of its first loss that such a run has lost."""


def find(contrast: Contrast, limits: Limits) -> Found:
    found = [pair for name in BY_HEART_COPIES if (pair := contrast.of(name)) is not None and pair.steps >= limits.steps]
    if not (contrast.supervised and contrast.by_loader) or len(found) < len(BY_HEART_COPIES):
        return
    if any(_lost(pair.base) > limits.fell or _lost(pair.other) > limits.fell for pair in found):
        return
    first = found[0]
    how = "rises" if _lost(first.other) < -limits.fell else "does not fall"
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"with the same batch {first.steps} times in a row the loss {how}: {first.other.first:.4g} to "
        f"{first.other.last:.4g}; ten and a hundred times the learning rate do not help",
        wanted="a loss that falls towards zero on a single batch",
        numbers={"first": first.other.first, "last": first.other.last},
    )


def _lost(level: Level) -> float:
    return (level.first - level.last) / abs(level.first) if level.finite and level.first else 0.0


CHECK = Check(
    id="FL507",
    summary="not even a single batch can be memorized",
    causes=("unknown",),
    likely="the gradient does not reach the weights that matter, or the loss does not depend on them",
    fix="run `firstlight diagnose` on the program",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
    symptom=True,
)
