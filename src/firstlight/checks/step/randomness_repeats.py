"""The random state is reset during training, so every epoch draws the same random numbers as the one before.

## What it sees
In a rehearsal, training calls of the model find the random state of torch, NumPy or Python exactly where earlier calls
found it, with other states in between: something reset it. Either the same inputs come again too, or only what is drawn
during the call repeats, such as dropout and noise.

## When it is fine
One seed before training, a seed for each epoch (`seed + epoch`), and evaluations that restore the state afterwards
(`torch.random.fork_rng`) are fine. Models trained one after the other with the same seed are told apart.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.randomness import RandomAgain


class Limits(Settable):
    times: int = 2
    """Fewest calls that found an earlier state again; a single one may be a return to a checkpoint."""
    same: float = 0.5
    """Share of these calls that got the same inputs again, from which the data themselves are said to repeat."""


def find(again: RandomAgain, limits: Limits) -> Found:
    if again.times < limits.times:
        return
    repeats = again.same >= limits.same * again.times
    yield Evidence(
        where=at(again.site, module=again.model, step=again.again, rank=again.rank),
        saw=f"{again.times} training calls of `{again.model}` found a random state of `{again.source}` that an earlier "
        f"one had found: that of step {again.first} came back at step {again.again}",
        wanted="a random state that is never reset from epoch to epoch",
        cause="data-stale-batch" if repeats else "env-seed",
        numbers={"times": again.times, "same": again.same, "first": again.first, "again": again.again},
    )


CHECK = Check(
    id="FL345",
    summary="the seed is set again during training: order, dropout and augmentation repeat",
    causes=("data-stale-batch", "env-seed"),
    likely="the seed is set inside the evaluation or the loop, to make these repeatable",
    fix="set the seed once, before training; wrap an evaluation that needs a seed in `torch.random.fork_rng()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
