"""A plain fit to a few hundred of the program's own examples predicts their targets far better than the program.

## What it sees
The examples and targets are taken as they meet in the loss. A kernel regression is fitted to a few hundred of them, and
each is predicted from all the others; this is done for the first examples that the program trains on and for the last.
The program's own predictions are scored the same way, batch by batch. Hundreds of steps into training the program is
still far behind and hardly improves any more.

## When it is fine
Nothing is reported while the learning rate rises. A program that is stopped on purpose long before it has learned may
be behind, and so may one whose inputs are made harder in training than the noise among its examples suggests.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    plain: float = 0.5
    """Smallest skill of the plain fit, where 0 is predicting the same for all examples and 1 is never wrong; less
    proves nothing."""
    behind: float = 0.5
    """Share of that skill that the program must reach; dropout and augmentation may cost it a part."""
    steps: int = 300
    """Fewest steps; before that a program may simply not have trained enough."""
    gained: float = 0.1
    """Largest share of the gap closed in the last quarter of the run; a program that gains more is on its way."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, skills = relations.seen, relations.seen.skills
    plain = skills.plain if skills.later is None or skills.plain < skills.later else skills.later
    if not relations.scored or relations.warming or not (plain >= limits.plain and skills.step >= limits.steps):
        return
    lacks = plain - skills.own
    if not (skills.own < limits.behind * plain and skills.own - skills.before < limits.gained * lacks):
        return
    yield Evidence(
        where=at(seen.meeting or seen.site, step=skills.step, rank=seen.rank),
        saw=f"after {skills.step} steps the program gets {_share(skills.own)} of the way from one output for all "
        f"examples to being always right, but a plain fit to {skills.rows} of its examples {_share(plain)}",
        wanted=f"at least {_share(limits.behind * plain)}, or a skill that is still rising",
        numbers={"own": skills.own, "plain": plain, "before": skills.before, "rows": skills.rows},
    )


def _share(skill: float) -> str:
    return f"{max(0.0, skill):.0%}"


CHECK = Check(
    id="FL510",
    summary="a plain fit to a few of its examples does far better than the program",
    causes=("unknown",),
    likely="the inputs do determine the targets, and something between the two keeps the program from learning",
    fix="run `firstlight diagnose` on the program: it tries the causes one by one",
    severity=Severity.WARNING,
    confidence=0.5,
    symptom=True,
    find=find,
)
