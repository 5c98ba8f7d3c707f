"""Texts were damaged on their way into the table.

## What it sees
In columns of texts: signs of a wrong decoding (`Ã©`, the replacement character), empty texts, texts that were cut at
one length, single texts hundreds of times longer than usual, and with `--tokenizer` texts that do not come back from
their tokens, or tokens the tokenizer does not know.

## When it is fine
Texts about encodings. Texts of a service that allows no more characters. Tokenizers that give up case or spaces on
purpose: recognised, and not told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TextsSeen, few, of_table


class Limits(Settable):
    damaged_share: float = 0.002
    """A few damaged texts are in every collection."""
    empty_share: float = 0.02
    """More than a slip."""
    times_longer: float = 500.0
    """Whole books among sentences; beyond, one text fills a batch."""
    cut_share: float = 0.05
    """Of texts that end at one length; fewer lose little."""
    lossy_share: float = 0.02
    """Rare characters; beyond, a script is lost."""
    unknown_share: float = 0.02
    """Of the tokens; a tokenizer made for the texts stays far below."""


def find(fact: TextsSeen, limits: Limits) -> Found:
    rows, told = max(1, fact.rows), []
    if fact.damaged >= max(2, limits.damaged_share * rows):
        told.append(f"{fact.damaged:,} texts of {fact.rows:,} were decoded wrongly; {few(fact.damaged_examples, 2)}")
    if fact.empty >= max(2, limits.empty_share * rows):
        told.append(f"{fact.empty:,} texts of {fact.rows:,} are empty")
    if fact.longest > limits.times_longer * max(fact.median_length, 1.0):
        told.append(
            f"row {fact.longest_row} has {fact.longest:,} characters, where half have {fact.median_length:.0f} or fewer"
        )
    if fact.cut >= max(2, limits.cut_share * rows):
        told.append(f"{fact.cut:,} texts of {fact.rows:,} end after exactly {fact.cut_at}, and none is longer")
    if fact.lossy is not None and fact.lossy >= max(2, limits.lossy_share * rows):
        told.append(f"{fact.lossy:,} texts do not come back from {fact.tokenizer}; {few(fact.lossy_examples, 2)}")
    if fact.unknown_share is not None and fact.unknown_share >= limits.unknown_share:
        told.append(f"{fact.unknown_share:.1%} of the tokens are unknown to {fact.tokenizer}")
    for saw in told:
        yield Evidence(where=of_table(fact.file, fact.column), saw=saw, wanted="texts as they were written")


CHECK = Check(
    id="FL1012",
    summary="texts were damaged on their way into the table",
    causes=("data-tokenizer",),
    likely="a file was read with the wrong encoding, or the tokenizer was made for other texts",
    fix="read the source again as UTF-8; take the tokenizer of the model",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
