"""One column, or two together, give the target away.

## What it sees
Each column's skill for the target by itself, on rows not learnt from, against the skill of all the others together. A
column that is nearly always right where all others are not was made from the target, or after it. Columns that equal
the target are told in any case. Where no column is strong alone, the same is asked of the difference, sum, product and
ratio of every two columns that go with one another; that is a warning.

## When it is fine
A problem that one or two measurements decide, with other columns that merely accompany them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TargetPower, few, of_table


class Limits(Settable):
    alone_skill: float = 0.97
    """Real measurements of one thing rarely decide more."""
    ahead_of_others: float = 0.1
    """An easy problem is easy for other columns too."""


def find(fact: TargetPower, limits: Limits) -> Found:
    best = max((fact.alone.get(name, 0.0) for name in fact.strongest), default=0.0)
    names = few(tuple(f"`{name}`" for name in fact.strongest))
    if fact.copies:
        yield Evidence(
            where=of_table(fact.file, fact.copies[0]),
            saw=f"{few(tuple(f'`{name}`' for name in fact.copies))} equals the target `{fact.target}` in every row",
            wanted="inputs that are known before the target is",
            confidence=0.99,
            numbers={"columns": few(fact.copies)},
        )
    elif best >= limits.alone_skill and fact.others is not None and fact.others <= best - limits.ahead_of_others:
        yield Evidence(
            where=of_table(fact.file, fact.strongest[0]),
            saw=f"{names} alone predicts `{fact.target}` with a skill of {best:.3f}; all other columns together reach "
            f"{fact.others:.3f}",
            wanted=f"no column that beats all others by {limits.ahead_of_others:g}",
            numbers={"alone": best, "others": fact.others},
        )
    elif (
        fact.pair_skill >= limits.alone_skill
        and fact.pair_others is not None
        and fact.pair_others <= fact.pair_skill - limits.ahead_of_others
    ):
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.pair} predicts `{fact.target}` with a skill of {fact.pair_skill:.3f}; all other columns "
            f"together reach {fact.pair_others:.3f}",
            wanted=f"no two columns that beat all others by {limits.ahead_of_others:g}",
            severity=Severity.WARNING,
            confidence=0.7,
            numbers={"pair": fact.pair_skill, "others": fact.pair_others},
        )


CHECK = Check(
    id="FL1010",
    summary="one column, or two together, give the target away",
    causes=("data-leak-target",),
    likely="it was computed from the target, or is only known once the target is",
    fix="leave it out; ask when its value is known",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
