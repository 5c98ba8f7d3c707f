"""The same category has one code in training and another one in evaluation.

## What it sees
Calls that turn categories into whole numbers are followed: `cat.codes`, `factorize`, `map` with a dictionary, `unique`
with its inverse, scikit-learn's `LabelEncoder` and `OrdinalEncoder`. A column of codes is found again, value by value,
in the arrays that batches are taken from. The model is trained on the codes of one call and evaluated, in the same
column, on those of another, and categories that both calls know have other codes. That happens where each part of the
data is encoded by itself: one category that is missing there moves the codes of all that come after it.

## When it is fine
Codes that are used for nothing but grouping or counting never reach the model and are not reported. Calls that give the
same codes to the same categories are fine, and so are categories that only evaluation knows.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.places import Site
from firstlight.records.program import CodesSeen


class Limits(Settable):
    kinds: int = 2
    """Fewest categories that both calls know; one that moves alone may have been renamed on purpose."""
    moved: float = 0.02
    """Smallest share of the evaluated rows whose category has another code; fewer hardly change a score."""


def find(codes: CodesSeen, limits: Limits) -> Found:
    if codes.kinds < limits.kinds or not codes.rows or not codes.moved >= limits.moved * codes.rows:
        return
    yield Evidence(
        where=at(codes.site, step=codes.step, rank=codes.rank),
        saw=f"column {codes.column} of `{codes.given}` holds codes from `{codes.how}`, given to the evaluated rows "
        f"{_apart(codes.site, codes.trained_site)}: {codes.example!r} is {codes.here} in training and "
        f"{codes.there} in evaluation, and {codes.moved:,} of {codes.rows:,} evaluated rows have a code of another "
        f"category",
        wanted="one code for each category",
        numbers={"rows": codes.rows, "moved": codes.moved, "kinds": codes.kinds},
    )


def _apart(site: Site | None, other: Site | None) -> str:
    return "in a call of their own" if other is None or other == site else f"apart from those of line {other.line}"


CHECK = Check(
    id="FL199",
    summary="the same category has different codes in training and evaluation",
    causes=("data-split-shift", "data-schema", "data-tokenizer"),
    likely="each part of the data is encoded by itself, and some categories are missing in one of them",
    fix="list the categories once, from the training data (`pd.Categorical(…, categories=…)`, one fitted encoder), and "
    "encode all parts with that list",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
    since="0.2",
)
