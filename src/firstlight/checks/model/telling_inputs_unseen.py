"""The targets depend on inputs that do not affect the model's output at all.

## What it sees
A simple fit (kernel regression) to a few hundred of the program's own examples predicts their targets far better than
the program does. The model is tested for which inputs of an example move the output that is compared with the target:
by gradient, and by swapping the other inputs with those of another example, which changes nothing. A simple fit to only
the inputs that move the output does no better than the program: what determines the target lies outside what the model
sees.

## When it is fine
Experiments that hide some inputs from a model on purpose, to see how well it does without them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Relations


class Limits(Settable):
    plain: float = 0.5
    """Smallest skill of the simple fit to all inputs; 0 is a constant prediction, 1 is never wrong."""
    behind: float = 0.5
    """Share of that skill that the program, and a simple fit to what the model sees, must stay below."""
    unmoved: float = 1e-6
    """Largest change of the output from inputs without influence, relative to that from the others; rounding causes
    less."""
    underflow: float = 1e-30
    """Ratio of the faintest influence to the strongest below which inputs fade to nothing and only seem to have no
    influence."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, reach, own = relations.seen, relations.seen.reach, relations.seen.skills.own
    if not relations.scored or not (0 < reach.reached < reach.inputs and reach.plain >= limits.plain):
        return
    least = limits.behind * reach.plain
    if not (own < least and reach.within < least and reach.faintly < least):
        return
    if not (reach.by_none <= limits.unmoved and reach.faintest > limits.underflow):
        return
    yield Evidence(
        where=at(seen.meeting or seen.site, step=seen.skills.step, rank=seen.rank),
        saw=f"{moving(reach)}; from a constant prediction (0%) to a perfect one (100%), a simple fit to these gets "
        f"{share(reach.within)}, one to all inputs {share(reach.plain)}, and the program {share(own)}. Of the inputs "
        f"that do not move it at all, {list(reach.telling)} says most about the target",
        wanted="an output that depends on the inputs that determine the target",
        numbers={"plain": reach.plain, "within": reach.within, "own": own, "reached": reach.reached},
    )


def moving(reach: InputsReached) -> str:
    """Says in words which output is moved by which inputs."""
    output = f"the output {list(reach.output)}" if reach.output else "the output"
    return (
        f"{output} depends on {reach.reached} of the {reach.inputs} inputs of its example, "
        f"{list(reach.first)} to {list(reach.last)}"
    )


def share(skill: float) -> str:
    return f"{max(0.0, skill):.0%}"


CHECK = Check(
    id="FL419",
    summary="the targets depend on inputs that the model does not see",
    causes=("arch-capacity",),
    likely="the receptive field is too small, the wrong part of the input is taken, or a mask hides what matters",
    fix="widen what one output sees (dilation, kernels, depth, a longer window) until it covers the inputs named",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
