"""The model is evaluated in train mode.

## What it sees
Between phases of training, the model, which has dropout or batch norm, was called on batch after batch (or on one far
larger batch) without gradients and in train mode, and never in eval mode: the measurements are noisy, and evaluation
data changes the batch statistics. In a rehearsal a single call is enough, if its outputs are compared with targets.
Also reported is a model that was in eval mode earlier but not when it is evaluated after the very last step: trainers
put it back into train mode when they finish.

## When it is fine
Dropout kept on purpose to sample the model's uncertainty on many inputs, or in a policy that acts in several
environments at a time. Several passes over the same input or over the one just trained on, single calls between steps
(acting, pseudo-labels, samples of a generator) and programs that train several models are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import EvaluationSeen


class Limits(Settable):
    phases: int = 2
    """Fewest evaluation phases; a single one may be a calibration of the batch statistics."""
    scored: int = 8
    """Fewest outputs that were compared with targets; a calibration has none."""


def find(seen: EvaluationSeen, limits: Limits) -> Found:
    if seen.alone and seen.in_eval and seen.scored_at_end >= limits.scored:
        yield _at_end(seen)
    if seen.in_eval or seen.crowded or not seen.alone:
        return
    if seen.phases < limits.phases and seen.scored < limits.scored:
        return
    times = f"evaluated {seen.phases} times without gradients, each time"
    if seen.phases < limits.phases:
        times = f"called without gradients for {seen.scored} outputs that are compared with targets,"
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"`{seen.name}` was {times} in train mode",
        wanted="eval mode, in which dropout is off and batch statistics are not updated",
        numbers={"phases": seen.phases, "scored": seen.scored},
    )


def _at_end(seen: EvaluationSeen) -> Evidence:
    return Evidence(
        where=at(seen.scored_site, rank=seen.rank),
        saw=f"after the last step `{seen.name}` gave {seen.scored_at_end} outputs in train mode that are "
        "compared with targets here; earlier it was evaluated in eval mode",
        wanted="eval mode, in which dropout is off and batch statistics are not updated",
        likely="`model.eval()` is missing after the training, which ended in train mode",
        do="call `model.eval()` before the final evaluation",
        numbers={"scored": seen.scored_at_end},
    )


CHECK = Check(
    id="FL409",
    summary="the model is evaluated in train mode",
    causes=("train-mode",),
    likely="`model.eval()` is missing before the evaluation",
    fix="call `model.eval()` before the evaluation and `model.train()` after it",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
