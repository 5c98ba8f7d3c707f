"""Many training examples have a class that all the other examples contradict.

## What it sees
The class of each training example is predicted from the others. Where classes merely overlap, such a prediction is
wrong where it is unsure; here it is about as often wrong where it is most sure, whichever class it predicts. The twenty
most doubtful examples are among the numbers of the report, with their row in the dataset if it is known.

## When it is fine
Outcomes decided by something outside the inputs, equally often for every input. If only one class is affected, nothing
is reported. If the loss itself allows for wrong labels (it smooths them, or states how often one class is mistaken for
another), they are known, and it is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations
from firstlight.records.tables import few

UNKNOWN = -1
SHOWN = 3


class Limits(Settable):
    skill: float = 0.5
    """Smallest skill of the predictions (1 is always right); one that hardly beats a guess accuses nobody."""
    share: float = 0.03
    """Smallest share of the surest predictions that are wrong; careful annotation errs in one or two of a hundred."""
    flat: float = 0.6
    """Smallest ratio of that share to the share among all; where classes merely overlap, it stays below a fifth."""
    certain_share: float = 0.1
    """Smallest such share for a warning, together with the next; below, errors may well be few and known."""
    certain_flat: float = 0.7
    """Smallest such ratio for a warning; outcomes that are random on either side of a border reach two thirds."""
    sides: float = 0.6
    """Smallest share of the classes whose surest predictions are wrong too; a cause outside the inputs affects one of
    two."""
    reckoned: float = 0.05
    """Loss, in nats, left by predictions sure of the given classes; a loss that takes the labels as true leaves
    none."""
    wrong: int = 8
    """Fewest wrong ones among the surest; fewer may be chance."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, doubts = relations.seen, relations.seen.doubts
    if seen.acting or not (doubts.skill >= limits.skill and doubts.sides >= limits.sides):
        return
    if not (doubts.wrong_when_sure >= limits.share and doubts.flat >= limits.flat):
        return
    if round(doubts.wrong_when_sure * doubts.sure) < limits.wrong:
        return
    known = seen.left_when_sure >= limits.reckoned
    certain = not known and doubts.wrong_when_sure >= limits.certain_share and doubts.flat >= limits.certain_flat
    told = tuple(
        f"{_place(*moment)} is {one.given}, expected {one.expected}"
        for moment, one in zip(seen.doubted, doubts.doubtful, strict=False)
    )
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"where the other examples predict the class most surely, {doubts.wrong_when_sure:.0%} of {doubts.sure:,} "
        f"have another class, as do {doubts.wrong:.0%} of all {doubts.rows:,}; {few(told, SHOWN)}",
        wanted=f"less than {limits.share:.0%}",
        severity=Severity.WARNING if certain else Severity.NOTE,
        numbers={"wrong_when_sure": doubts.wrong_when_sure, "wrong": doubts.wrong, "skill": doubts.skill}
        | {f"doubtful_{count}": words for count, words in enumerate(told, 1)},
    )


def _place(step: int, row: int, place: int) -> str:
    return f"row {place} of the dataset" if place != UNKNOWN else f"row {row} of the batch of step {step}"


CHECK = Check(
    id="FL175",
    summary="many training examples have a class that the others contradict",
    causes=("data-label-noise",),
    likely="labels were assigned carelessly, or some of them were shuffled or overwritten",
    fix="look at the doubtful examples in the report, the most doubtful first, then at the line that makes the labels",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
