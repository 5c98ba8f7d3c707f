"""Rows that are evaluated on were trained on.

## What it sees
Rows of the validation or test data whose inputs equal those of a training row, or nearly do: numbers equal when
rounded or far nearer than usual, texts by MinHash, images by small grey pictures. Columns that number the rows are
left aside; copies that few-valued columns give by chance are taken off.

## When it is fine
Evaluating on training data on purpose, to see whether they can be learnt at all.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import SharedRows, few, of_table


class Limits(Settable):
    shared_share: float = 0.01
    """Of exact copies. Fewer, and near copies, are a warning: they move a score by little, or are meant."""


def find(fact: SharedRows, limits: Limits) -> Found:
    looked = max(1, fact.looked)
    exact, near = fact.exact / looked, fact.near / looked
    copied = exact * (1.0 - fact.by_chance)
    if not copied * looked >= 1.0 and not near >= limits.shared_share:
        return
    grave = copied >= limits.shared_share
    yield Evidence(
        where=of_table(fact.file),
        saw=f"{_percent(exact)} of its rows are in {fact.train_file} too, and {_percent(near)} nearly so: "
        f"{few(fact.pairs, 3)}",
        wanted="rows that were not trained on",
        severity=None if grave else Severity.WARNING,
        confidence=None if grave else 0.7,
        numbers={"exact": fact.exact, "near": fact.near, "looked": fact.looked, "by_chance": fact.by_chance},
    )


def _percent(share: float) -> str:
    return f"{share:.2%}" if share else "none"


CHECK = Check(
    id="FL1014",
    summary="rows that are evaluated on were trained on",
    causes=("data-leak-split",),
    likely="rows were copied before the split, or splits were drawn twice",
    fix="drop copies first and split once; then keep the splits in files",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
