"""The answers rest on inputs whose influence fades on the way to the output, by orders of magnitude.

## What it sees
A plain fit to a few hundred of the program's own examples foretells their answers far better than the program does,
which hardly gains any more. The model is asked which inputs of an example move the output that meets the answer: by
gradient, and by exchanging inputs for those of another example. A plain fit to those that move it is as bad as the
program; what tells the answer moves the output ever so little, and its gradient is as small.

## When it is fine
A recurrent net may learn to remember later than it was watched; while the learning rate rises nothing is said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.learning import plain_fit_does_better
from firstlight.checks.model.telling_inputs_unseen import moving, share
from firstlight.records.relations import Relations


class Limits(Settable):
    behind: float = 0.5
    """Of the skill of a plain fit to all inputs, which one to those that move the output has at least."""
    moved: float = 0.05
    """Move of the output by all faint inputs together, in proportion to that by the others."""
    underflow: float = 1e-30
    """The faintest influence over the strongest: below it even no influence is one that faded."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, reach = relations.seen, relations.seen.reach
    behind = plain_fit_does_better.CHECK
    if not 0 < reach.reached < reach.inputs or not any(behind.find(relations, behind.limits)):
        return
    least = limits.behind * reach.plain
    faded = reach.faintly >= least or reach.faintest <= limits.underflow
    if not (reach.within < least and faded and reach.moved <= limits.moved):
        return
    yield Evidence(
        where=at(seen.meeting or seen.site, step=seen.skills.step, rank=seen.rank),
        saw=f"{moving(reach)}; a plain fit to these gets {share(reach.within)} of the way from one answer for all "
        f"examples to being always right, to all inputs {share(reach.plain)}, and the program after "
        f"{seen.skills.step} steps {share(seen.skills.own)}. Of the others {list(reach.telling)} tells most; "
        f"together they move the output by {reach.moved:.1g} of that, the faintest by {reach.faintest:.0e}",
        wanted="inputs which tell the answer to move the output about as much as others",
        numbers={"plain": reach.plain, "within": reach.within, "own": seen.skills.own, "moved": reach.moved},
    )


CHECK = Check(
    id="FL420",
    summary="the influence of the inputs that tell the answer fades before it reaches the output",
    causes=("arch-vanishing",),
    likely="a state decays within a few steps, or many layers each pass on a small part of what they are given",
    fix="start with slow decays (gates open, decays near 1), or add a short way: skips, attention, pooling over places",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
