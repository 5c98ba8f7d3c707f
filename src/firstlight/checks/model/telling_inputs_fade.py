"""The targets depend on inputs whose influence on the output fades by orders of magnitude.

## What it sees
A simple fit (kernel regression) to a few hundred of the program's own examples predicts their targets far better than
the program, which hardly improves any more. The model is tested for which inputs of an example move the output that is
compared with the target: by gradient, and by swapping inputs with those of another example. A simple fit to the inputs
that do move it is as bad as the program. The inputs that determine the target move the output only very slightly, and
their gradient is as small.

## When it is fine
A recurrent net may learn to remember later than it was watched; while the learning rate rises, nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.checks.learning import plain_fit_does_better
from firstlight.checks.model.telling_inputs_unseen import moving, share
from firstlight.records.relations import Relations


class Limits(Settable):
    behind: float = 0.5
    """Share of the skill of a simple fit to all inputs that a fit to the inputs that move the output must stay
    below."""
    moved: float = 0.05
    """Largest change of the output from all faint inputs together, relative to that from the others."""
    underflow: float = 1e-30
    """Ratio of the faintest influence to the strongest below which even no influence counts as faded."""


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
        saw=f"{moving(reach)}; from a constant prediction (0%) to a perfect one (100%), a simple fit to these gets "
        f"{share(reach.within)}, one to all inputs {share(reach.plain)}, and the program after {seen.skills.step} "
        f"steps {share(seen.skills.own)}. Of the other inputs, {list(reach.telling)} says most about the target; "
        f"together they move the output {reach.moved:.1g} times as much, the faintest {reach.faintest:.0e} times",
        wanted="inputs that determine the target to move the output about as much as the others",
        numbers={"plain": reach.plain, "within": reach.within, "own": seen.skills.own, "moved": reach.moved},
    )


CHECK = Check(
    id="FL420",
    summary="the influence of the inputs that determine the target fades before it reaches the output",
    causes=("arch-vanishing",),
    likely="a state decays within a few steps, or many layers each pass on a small part of their input",
    fix="start with slow decays (gates open, decays near 1), or add a shortcut: skips, attention, pooling over "
    "positions",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
