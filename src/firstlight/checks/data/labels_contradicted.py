"""Many training examples have a class that all others contradict.

## What it sees
The class of each training example is foretold from the others. Where classes merely overlap, such a prediction is wrong
where it is unsure; here it is wrong as often where it is surest, whichever class it expects. The twenty most doubtful
examples are among the numbers of the report, with their row in the dataset where it is known.

## When it is fine
Outcomes that something outside the inputs decides, as often for every input. Where that is so of one class alone,
nothing is said. Where the loss itself reckons with wrong labels (it smooths them, or says how often one class is taken
for another) they are known, and it is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations
from firstlight.records.tables import few

UNKNOWN = -1
SHOWN = 3


class Limits(Settable):
    skill: float = 0.5
    """A prediction that hardly beats a guess accuses nobody."""
    share: float = 0.03
    """Of the surest that are another class; careful annotation errs in one or two of a hundred."""
    flat: float = 0.6
    """Of all errors' share, found among the surest too; where classes merely overlap, it stays below a fifth."""
    certain_share: float = 0.1
    """From which on it is a warning, together with the next; below, errors may well be few and known."""
    certain_flat: float = 0.7
    """Outcomes that are random on either side of a border come to two thirds."""
    sides: float = 0.6
    """Of the classes, those whose surest are wrong too; a cause that is not among the inputs moves one of two."""
    reckoned: float = 0.05
    """Nats that predictions lose which are sure of the classes as given; a loss that takes them as true leaves none."""
    wrong: int = 8
    """Of the surest; fewer may be chance."""


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
        saw=f"where the others tell the class of an example best, {doubts.wrong_when_sure:.0%} of {doubts.sure:,} have "
        f"another one, and {doubts.wrong:.0%} of all {doubts.rows:,}; {few(told, SHOWN)}",
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
    likely="labels were assigned carelessly, or a part of them was shuffled or written over",
    fix="look at the doubtful examples in the report, most doubtful first; then at the line that makes the labels",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
