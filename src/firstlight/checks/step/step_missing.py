"""Backward runs, but no optimizer step follows.

## What it sees
The program ran many backwards and never stepped the optimizer that holds the parameters; or it cleared most of the
gradients before a step used them; or it has no optimizer, and no weight changed between backwards. If an exception was
raised and swallowed after most of these backwards, or the step stands behind a comparison of numbers that the backward
does not stand behind, that is reported as the reason. So is a step that is made every few rounds to gather their
gradients, which are cleared in each.

## When it is fine
With very long gradient accumulation, raise `--steps` or `--seconds` until the first step is reached.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Stepping
from firstlight.records.places import Site
from firstlight.records.program import Swallowed


class Limits(Settable):
    backwards: int = 100
    """Fewest backwards without a step: more than usual gradient accumulation needs."""
    unused: int = 20
    """Fewest backwards whose gradients were cleared before a step used them."""
    times: float = 4.0
    """Ratio of such backwards to steps that must be exceeded; adversarial training and look-ahead methods clear one
    per step."""
    raised: float = 0.5
    """Smallest share of backwards followed by an exception for the exception to be reported as the reason."""


def find(stepping: Stepping, limits: Limits) -> Found:
    idle = {name: times for name, times in stepping.unstepped.items() if times >= limits.backwards}
    lost = {
        name: (unused, steps)
        for name, (unused, steps) in stepping.unused.items()
        if unused >= limits.unused and unused > limits.times * steps
    }
    if lost:
        name, (unused, steps) = max(lost.items(), key=lambda one: one[1])
        saw = f"the gradients of {unused} backwards were cleared before a step of {name} used them; it made {steps}"
    elif idle:
        saw = f"{max(idle.values())} backwards, and no step of {', '.join(idle)}"
    elif stepping.backwards >= limits.backwards and not stepping.optimizers and stepping.weights_moved is False:
        saw = f"{stepping.backwards} backwards, no optimizer, and no weight changed"
    else:
        return
    raised = stepping.swallowed
    if raised is not None and raised.times >= limits.raised * raised.looks:
        yield _swallowed(stepping, raised, saw)
        return
    if stepping.skipped is not None:
        yield _skipped(stepping, stepping.skipped, saw)
        return
    if stepping.gathering is not None and any(unused <= limits.backwards * steps for unused, steps in lost.values()):
        yield _ungathered(stepping, stepping.gathering, saw)
        return
    yield Evidence(
        where=at(stepping.backward_site, rank=stepping.rank),
        saw=saw,
        wanted="an `optimizer.step()` after the backward",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps},
    )


def _swallowed(stepping: Stepping, raised: Swallowed, saw: str) -> Evidence:
    return Evidence(
        where=at(raised.site, rank=stepping.rank),
        saw=f"{saw}; after the backward an exception is raised here and the program continues: {raised.error}",
        wanted="no exception, or one that ends the program",
        cause="train-swallowed",
        likely="an `except` or `suppress` around the step catches every exception, including those that reveal a bug",
        do="fix what the exception reports, and catch only expected exceptions",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps, "raised": raised.times},
    )


def _skipped(stepping: Stepping, condition: Site, saw: str) -> Evidence:
    return Evidence(
        where=at(condition, rank=stepping.rank),
        saw=f"{saw}; the step is made on this condition only, which does not hold",
        wanted="a condition that fails for rare batches only",
        cause="train-swallowed",
        likely="a limit meant for rare spikes lies where training begins",
        do="print what is compared here over the first hundred batches, and set the limit far beyond it",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps},
    )


def _ungathered(stepping: Stepping, condition: Site, saw: str) -> Evidence:
    return Evidence(
        where=at(condition, rank=stepping.rank),
        saw=f"{saw}; a step is made every few rounds, and the gradients are cleared in each",
        wanted="gradients that add up from one step to the next",
        cause="train-accumulation",
        likely="`zero_grad()` stands outside the condition that the step stands behind",
        do="clear the gradients right after the step, behind the same condition",
        numbers={"backwards": stepping.backwards, "steps": stepping.steps},
    )


CHECK = Check(
    id="FL302",
    summary="gradients are computed and never used",
    causes=("train-no-step", "train-swallowed", "train-accumulation"),
    likely="`optimizer.step()` is missing, is outside the loop, is skipped by a condition, or belongs to another "
    "optimizer",
    fix="call `optimizer.step()` after `backward()`",
    severity=Severity.ERROR,
    confidence=0.95,
    exhaustive=True,
    find=find,
)
