"""Images cannot be read, or show nothing.

## What it sees
Files that cannot be decoded to their end, images of one colour, images whose values go to 1 where they should go to
255, and folders that mix grey and coloured images or images with transparency.

## When it is fine
Blank pages on purpose. Mixed kinds, where the program converts each image.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import ImagesSeen, few, of_table


class Limits(Settable):
    flat_share: float = 0.01
    """Single black frames are usual."""
    mixed_share: float = 0.02
    """Of images of another kind than most: enough to be learnt as a feature."""


def find(fact: ImagesSeen, limits: Limits) -> Found:
    images = max(1, fact.images)
    if fact.broken:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.broken:,} of {fact.images:,} images cannot be decoded: {few(fact.broken_examples, 2)}",
            wanted="images that are whole",
            severity=Severity.ERROR,
            confidence=0.95,
            numbers={"broken": fact.broken},
        )
    if fact.flat >= max(2, limits.flat_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.flat:,} of {fact.images:,} images are of one colour: {few(fact.flat_examples, 3)}",
            wanted="images that show something",
            cause="data-degenerate",
            likely="blank pages, frames before a film begins, or cuts from beyond the edge of a picture",
            do="look at a few; leave out those that show nothing",
            numbers={"flat": fact.flat},
        )
    if fact.dark >= max(2, limits.flat_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw=f"no value above 2 of 255 in {fact.dark:,} of {fact.images:,} images: {few(fact.dark_examples, 3)}",
            wanted="values from 0 to 255",
            cause="data-scale",
            likely="values from 0 to 1 were written as whole numbers",
            do="multiply by 255 before writing",
            numbers={"dark": fact.dark},
        )
    common = max(fact.modes.values(), default=0)
    if len(fact.modes) > 1 and sum(fact.modes.values()) - common >= max(2, limits.mixed_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw="images of several kinds: " + ", ".join(f"{count:,} {mode}" for mode, count in fact.modes.items()),
            wanted="one kind, or a program that converts them",
            severity=Severity.NOTE,
            cause="data-degenerate",
            do="write `image.convert('RGB')` where images are opened",
        )


CHECK = Check(
    id="FL1013",
    summary="images cannot be read, or show nothing",
    causes=("data-outlier", "data-degenerate", "data-scale"),
    likely="files were cut short while they were copied, or are of another format than their names say",
    fix="copy those files again, or leave them out",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
