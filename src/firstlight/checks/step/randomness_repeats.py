"""Random numbers begin anew while the model is trained, so that every epoch draws what the one before it drew.

## What it sees
In a rehearsal, calls of the model in training find the random state of torch, of numpy or of Python where earlier ones
had found it, with other states in between: something set it back. What the model was given then comes again with it,
or only what is drawn besides: dropout, noise.

## When it is fine
One seed before training, a seed for each epoch (`seed + epoch`), and evaluations that put the state back to where it
was (`torch.random.fork_rng`). Models that are trained one after the other with the same seed are told apart.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.randomness import RandomAgain


class Limits(Settable):
    times: int = 2
    """Calls that found a state again: one may be a checkpoint that was gone back to."""
    same: float = 0.5
    """Share of them that were given the same inputs again, from which on it is the data that repeat."""


def find(again: RandomAgain, limits: Limits) -> Found:
    if again.times < limits.times:
        return
    repeats = again.same >= limits.same * again.times
    yield Evidence(
        where=at(again.site, module=again.model, step=again.again, rank=again.rank),
        saw=f"{again.times} training calls of `{again.model}` found a random state of `{again.source}` that an earlier "
        f"one had found: that of step {again.first} came back at step {again.again}",
        wanted="a random state that goes on from epoch to epoch",
        cause="data-stale-batch" if repeats else "env-seed",
        numbers={"times": again.times, "same": again.same, "first": again.first, "again": again.again},
    )


CHECK = Check(
    id="FL345",
    summary="the seed is set again during training: order, dropout and augmentation repeat",
    causes=("data-stale-batch", "env-seed"),
    likely="the seed is set in the evaluation or in the loop, to make these repeatable",
    fix="set the seed once, before training; put an evaluation that needs one in `torch.random.fork_rng()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
