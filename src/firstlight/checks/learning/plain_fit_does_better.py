"""A plain fit to a few hundred of the program's own examples foretells their answers far better than the program does.

## What it sees
Examples and answers as they meet in the loss. A kernel regression learns from a few hundred of them, each foretold by
all others, of the first that it trains on and of the last; the program's own predictions are scored alike, batch by
batch. Hundreds of steps into training the program is still far behind, and hardly gains any more.

## When it is fine
While the learning rate rises nothing is said. A program that is stopped on purpose long before it has learnt may stay
behind, and so may one whose inputs are made far harder in training than the noise among its examples tells.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    plain: float = 0.5
    """Skill of the plain fit, 0 being one answer for all examples and 1 never wrong; less proves nothing."""
    behind: float = 0.5
    """Of that skill, which the program has at least; dropout and augmentation may cost it a part."""
    steps: int = 300
    """Before which a program may simply be young."""
    gained: float = 0.1
    """Of what it lacks, in the last quarter of its course; one that gains more is on its way."""


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
        saw=f"after {skills.step} steps the program gets {_share(skills.own)} of the way from one answer for all "
        f"examples to being always right, and a plain fit to {skills.rows} of its examples {_share(plain)}",
        wanted=f"at least {_share(limits.behind * plain)}, or a skill that still rises",
        numbers={"own": skills.own, "plain": plain, "before": skills.before, "rows": skills.rows},
    )


def _share(skill: float) -> str:
    return f"{max(0.0, skill):.0%}"


CHECK = Check(
    id="FL510",
    summary="a plain fit to a few of its examples does far better than the program",
    causes=("unknown",),
    likely="the answers can be told from what the program is fed, and something between the two keeps it from learning",
    fix="run `firstlight diagnose` on the program: it tries the causes one by one",
    severity=Severity.WARNING,
    confidence=0.5,
    symptom=True,
    find=find,
)
