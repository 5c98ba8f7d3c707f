"""The same seed is set again for every batch.

## What it sees
`manual_seed` or `seed` with a constant inside the innermost training loop, including the functions it calls: dropout,
noise, augmentation or the choice of examples are the same for every batch.

## When it is fine
A seed that changes with the step is not reported, nor is that of a generator that only an evaluation draws from.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop

SEEDS = (
    "torch.manual_seed",
    "numpy.random.seed",
    "random.seed",
    "torch.cuda.manual_seed_all",
    "torch.cuda.manual_seed",
)


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    for call in loop.steps:
        if not isinstance(call, Call) or not (call.target in SEEDS or _seeds_for_training(call)):
            continue
        if call.args and call.args[0].kind == "const" and call.loops == loop.backwards[0].loops:
            yield Evidence(
                where=call.spot.where,
                saw=f"`{call.target}` gets the same number in every pass of the loop at {loop.loop.spot}",
                wanted="a seed set once, before the loop",
            )


def _seeds_for_training(call: Call) -> bool:
    """Whether it seeds a generator that is drawn from with gradients; without them, it trains nothing."""
    return call.target.endswith(".manual_seed") and "no_grad" not in call.guards


CHECK = Check(
    id="FL766",
    summary="the random state is reset for every batch",
    causes=("env-seed", "data-stale-batch"),
    likely="the seed was meant to make the run reproducible",
    fix="set the seed once, before training",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
