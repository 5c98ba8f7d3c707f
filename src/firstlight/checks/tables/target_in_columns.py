"""One column, or two columns together, give the target away.

## What it sees
How well each column predicts the target on its own, on rows not trained on, compared with all the other columns
together. A column that is nearly always right when all the others are not was derived from the target, or recorded
after it. Columns that equal the target are always reported. If no column is strong on its own, the same is tested for
the difference, sum, product and ratio of every two correlated columns; that is a warning.

## When it is fine
A problem that one or two measurements really determine, with other columns that merely accompany them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TargetPower, few, of_table


class Limits(Settable):
    alone_skill: float = 0.97
    """Lowest skill of a suspicious column on its own; a genuine measurement rarely determines more."""
    ahead_of_others: float = 0.1
    """How far its skill must exceed that of all the other columns; an easy problem is easy for other columns too."""


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
            wanted=f"no single column that beats all the others together by {limits.ahead_of_others:g}",
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
            wanted=f"no two columns that beat all the others together by {limits.ahead_of_others:g}",
            severity=Severity.WARNING,
            confidence=0.7,
            numbers={"pair": fact.pair_skill, "others": fact.pair_others},
        )


CHECK = Check(
    id="FL1010",
    summary="one column, or two columns together, give the target away",
    causes=("data-leak-target",),
    likely="it was computed from the target, or is only known once the target is",
    fix="find out when its value becomes known, and leave it out if that is no earlier than the target",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
