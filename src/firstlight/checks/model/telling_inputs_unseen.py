"""The answers rest on inputs that the output of the model does not depend on at all.

## What it sees
A plain fit to a few hundred of the program's own examples foretells their answers far better than the program does.
The model is asked which inputs of an example move the output that meets the answer: by gradient, and by exchanging the
others for those of another example, which moves nothing. A plain fit that is given only what moves the output does no
better than the program; what tells the answer lies outside of what the model sees.

## When it is fine
Where a model is kept from some of its inputs on purpose, to see how far it gets without them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.reach import InputsReached
from firstlight.records.relations import Relations


class Limits(Settable):
    plain: float = 0.5
    """Skill of the plain fit to all inputs, 0 being one answer for all examples and 1 never wrong."""
    behind: float = 0.5
    """Of that skill, which the program has at least, and a plain fit to what the model sees."""
    unmoved: float = 1e-6
    """Move of the output by inputs without influence, in proportion to that by the others; rounding does less."""
    underflow: float = 1e-30
    """The faintest influence over the strongest: below it others fade to nothing and only seem to have none."""


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
        saw=f"{moving(reach)}; a plain fit to these gets {share(reach.within)} of the way from one answer for all "
        f"examples to being always right, to all inputs {share(reach.plain)}, and the program {share(own)}. Of those "
        f"that do not move it at all, {list(reach.telling)} tells most",
        wanted="an output that depends on the inputs which tell the answer",
        numbers={"plain": reach.plain, "within": reach.within, "own": own, "reached": reach.reached},
    )


def moving(reach: InputsReached) -> str:
    """Which output is moved by which inputs, in words."""
    output = f"the output {list(reach.output)}" if reach.output else "the output"
    return (
        f"{output} moves with {reach.reached} of the {reach.inputs} inputs of its example, "
        f"{list(reach.first)} to {list(reach.last)}"
    )


def share(skill: float) -> str:
    return f"{max(0.0, skill):.0%}"


CHECK = Check(
    id="FL419",
    summary="the answers rest on inputs that the model does not see",
    causes=("arch-capacity",),
    likely="the receptive field is too short, the wrong part of the input is taken, or a mask hides what tells",
    fix="widen what one output sees (dilation, kernels, depth, a longer window) until it covers the inputs named",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
