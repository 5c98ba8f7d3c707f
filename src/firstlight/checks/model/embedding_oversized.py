"""An embedding has far more rows than there are ids.

## What it sees
The highest id in the first batch is compared with the number of rows of the table. The share of padding among the ids
is checked as well.

## When it is fine
One batch shows little of a large vocabulary: this is reported only if the table is many times larger than the highest
id, and only as a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import EmbeddingUse


class Limits(Settable):
    times: float = 20.0
    """Largest ratio of rows to the highest id; the ids of natural data are spread over the whole table."""
    ids: int = 200
    """Fewest ids in the batch; fewer do not show the range."""
    padding_share: float = 0.9
    """Largest share of the ids that may be padding; above it, the model learns mostly from padding."""


def find(use: EmbeddingUse, limits: Limits) -> Found:
    where = at(use.site, module=use.name, rank=use.rank)
    if use.ids >= limits.ids and use.rows > limits.times * (use.highest + 1):
        yield Evidence(
            where=where,
            saw=f"`{use.name}` has {use.rows} rows, and the highest of {use.ids} ids is {use.highest}",
            wanted="a table about as large as the range of the ids",
            numbers={"rows": use.rows, "highest": use.highest},
        )
    if use.padding_share > limits.padding_share:
        yield Evidence(
            where=where,
            saw=f"{use.padding_share:.0%} of the ids of `{use.name}` are padding",
            wanted=f"at most {limits.padding_share:.0%}",
            cause="data-padding",
            severity=Severity.WARNING,
            likely="sequences are padded to a fixed length far beyond their own",
            do="pad each batch to its longest sequence, or sort by length",
            numbers={"padding_share": use.padding_share},
        )


CHECK = Check(
    id="FL444",
    summary="an embedding has far more rows than ids, or sees mostly padding",
    causes=("data-tokenizer", "data-padding"),
    likely="the table was built for another vocabulary than the one that encoded the data",
    fix="compare the size of the vocabulary that encodes the data with the number of rows of the table",
    severity=Severity.NOTE,
    confidence=0.6,
    find=find,
)
