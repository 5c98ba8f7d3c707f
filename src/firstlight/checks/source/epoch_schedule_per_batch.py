"""A schedule counted in epochs is stepped for every batch, or one counted in batches once per epoch.

## What it sees
`StepLR`, `MultiStepLR` or `ExponentialLR`, with numbers that make sense only in epochs, is stepped in the loop over
batches, so the learning rate collapses within the first epoch. Or `OneCycleLR`, configured in batches, is stepped in
the loop over epochs and stays in its warm-up.

## When it is fine
Numbers that are not literals in the source are not judged, nor is a step under an `if`.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.source import UNKNOWN, Call, TrainingLoop, Value


class Limits(Settable):
    step_size_batches: int = 200
    """A `step_size` or milestone below this number is taken to be in epochs."""
    gamma_per_batch: float = 0.99
    """Largest decay factor that cannot be meant per batch; it leaves almost nothing after a thousand batches."""


def find(loop: TrainingLoop, limits: Limits) -> Found:
    for call in loop.around:
        if not isinstance(call, Call) or call.target != "scheduler.step" or not call.loops:
            continue
        kind = call.receiver.name.rpartition(".")[2]
        nested = len(call.loops) > 1 and call.loops[-1] is loop.loop and loop.loop.kind == "batches"
        certain = call.arms == loop.backwards[0].arms
        if nested and certain and _counts_epochs(call.receiver, kind, limits):
            yield Evidence(
                where=call.spot.where,
                saw=f"`{kind}`, created at {call.receiver.made} with numbers in epochs, is stepped for every batch",
                wanted="a step once per epoch, or numbers in batches",
            )
        elif kind == "OneCycleLR" and "steps_per_epoch" in call.receiver.args and _outside(call, loop):
            yield Evidence(
                where=call.spot.where,
                saw=f"`OneCycleLR`, created at {call.receiver.made} with numbers in batches, is stepped once per epoch",
                wanted="a step after every batch",
                do="move `scheduler.step()` into the loop over batches",
            )


def _outside(call: Call, loop: TrainingLoop) -> bool:
    return (
        loop.loop not in call.loops and call.loops == loop.updates[0].loops[: len(call.loops)]
        if loop.updates
        else False
    )


def _counts_epochs(scheduler: Value, kind: str, limits: Limits) -> bool:
    match kind:
        case "StepLR":
            size, gamma = scheduler.literal("step_size"), scheduler.literal("gamma")
            gentle = isinstance(gamma, float) and gamma > limits.gamma_per_batch
            return isinstance(size, int) and size < limits.step_size_batches and not gentle
        case "MultiStepLR":
            stones = scheduler.args.get("milestones", UNKNOWN)
            known = stones.kind == "list" and stones.closed and bool(stones.items)
            return known and all(isinstance(s.const, int) and s.const < limits.step_size_batches for s in stones.items)
        case "ExponentialLR":
            gamma = scheduler.literal("gamma")
            return isinstance(gamma, float) and gamma <= limits.gamma_per_batch
    return False


CHECK = Check(
    id="FL717",
    summary="a learning-rate schedule is stepped in the wrong loop",
    causes=("train-schedule",),
    likely="`scheduler.step()` is in the wrong loop",
    fix="move `scheduler.step()` out of the loop over batches",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
