"""Texts were damaged on the way into the table.

## What it sees
In text columns: signs of a wrong decoding (`Ã©`, the replacement character), empty texts, texts truncated at a fixed
length, single texts hundreds of times longer than usual; and with `--tokenizer`, texts that do not survive a round trip
through the tokenizer, or that it turns into unknown tokens.

## When it is fine
Texts about encodings. Texts from a service with a character limit. Tokenizers that drop case or spaces on purpose are
recognised and not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import TextsSeen, few, of_table


class Limits(Settable):
    damaged_share: float = 0.002
    """Smallest share of wrongly decoded texts to report; every collection has a few."""
    empty_share: float = 0.02
    """Smallest share of empty texts to report; that is more than a slip."""
    times_longer: float = 500.0
    """How many times longer than the median a text may be; beyond that, as with a book among sentences, one text fills
    a batch."""
    cut_share: float = 0.05
    """Smallest share of texts that end at the same maximum length to report; fewer lose little."""
    lossy_share: float = 0.02
    """Smallest share of texts changed by a round trip through the tokenizer to report; rare characters cause fewer,
    more means that a whole script is lost."""
    unknown_share: float = 0.02
    """Smallest share of unknown tokens to report; a tokenizer made for the texts stays far below."""


def find(fact: TextsSeen, limits: Limits) -> Found:
    rows, told = max(1, fact.rows), []
    if fact.damaged >= max(2, limits.damaged_share * rows):
        told.append(f"{fact.damaged:,} of {fact.rows:,} texts were decoded wrongly: {few(fact.damaged_examples, 2)}")
    if fact.empty >= max(2, limits.empty_share * rows):
        told.append(f"{fact.empty:,} of {fact.rows:,} texts are empty")
    if fact.longest > limits.times_longer * max(fact.median_length, 1.0):
        told.append(
            f"row {fact.longest_row} has {fact.longest:,} characters, but half the texts have {fact.median_length:.0f} "
            "or fewer"
        )
    if fact.cut >= max(2, limits.cut_share * rows):
        told.append(f"{fact.cut:,} of {fact.rows:,} texts end after exactly {fact.cut_at}, and none is longer")
    if fact.lossy is not None and fact.lossy >= max(2, limits.lossy_share * rows):
        told.append(
            f"{fact.lossy:,} texts are changed by a round trip through {fact.tokenizer}: {few(fact.lossy_examples, 2)}"
        )
    if fact.unknown_share is not None and fact.unknown_share >= limits.unknown_share:
        told.append(f"{fact.unknown_share:.1%} of the tokens are unknown to {fact.tokenizer}")
    for saw in told:
        yield Evidence(where=of_table(fact.file, fact.column), saw=saw, wanted="texts as they were originally written")


CHECK = Check(
    id="FL1012",
    summary="texts were damaged on the way into the table",
    causes=("data-tokenizer",),
    likely="a file was read with the wrong encoding, or the tokenizer was trained on other kinds of text",
    fix="read the source again as UTF-8, and use the model's own tokenizer",
    severity=Severity.WARNING,
    confidence=0.75,
    find=find,
)
