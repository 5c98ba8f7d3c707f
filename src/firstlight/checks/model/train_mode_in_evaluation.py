"""The model is evaluated in train mode.

## What it sees
Between stretches of training, the model, which has dropout or batch norm, was called on batch after batch (or on
one far larger batch) without gradients and in train mode, and it was never called in eval mode: what is measured is
noisy, and evaluation data moves the batch statistics. In a rehearsal a single call is enough, where its answers are
held against targets. So it is where the model was in eval mode before, and is not when it is asked after the last step
of all: trainers put it back into train mode when they are done.

## When it is fine
Dropout kept on purpose to sample the model's uncertainty on many inputs, or in a policy that acts in several
environments at a time. Several passes over the same input, or over the one that was just trained on, single calls
between steps (acting, pseudo-labels, samples of a generator) and programs that train several models are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.training import EvaluationSeen


class Limits(Settable):
    phases: int = 2
    """A single one may be a calibration of the batch statistics."""
    scored: int = 8
    """Answers that were held against targets; a calibration has none."""


def find(seen: EvaluationSeen, limits: Limits) -> Found:
    if seen.alone and seen.in_eval and seen.scored_at_end >= limits.scored:
        yield _at_end(seen)
    if seen.in_eval or seen.crowded or not seen.alone:
        return
    if seen.phases < limits.phases and seen.scored < limits.scored:
        return
    times = f"evaluated {seen.phases} times without gradients, each time"
    if seen.phases < limits.phases:
        times = f"asked without gradients for {seen.scored} answers that are held against targets,"
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"`{seen.name}` was {times} in train mode",
        wanted="eval mode, in which dropout is off and batch statistics rest",
        numbers={"phases": seen.phases, "scored": seen.scored},
    )


def _at_end(seen: EvaluationSeen) -> Evidence:
    return Evidence(
        where=at(seen.scored_site, rank=seen.rank),
        saw=f"after the last step `{seen.name}` gave {seen.scored_at_end} answers that are held against targets here, "
        "in train mode; before, it was in eval mode when it was evaluated",
        wanted="eval mode, in which dropout is off and batch statistics rest",
        likely="`model.eval()` is missing after the training, which ended in train mode",
        do="call `model.eval()` before the model is asked for the last time",
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
