"""Images cannot be read, or show nothing.

## What it sees
Files that cannot be fully decoded, images of a single colour, images whose values go up to 1 instead of 255, and
folders that mix greyscale, colour or transparent images.

## When it is fine
Intentionally blank pages. Mixed image modes, if the program converts every image.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity
from firstlight.records.tables import ImagesSeen, few, of_table


class Limits(Settable):
    flat_share: float = 0.01
    """Smallest share of blank or nearly black images to report; single black frames are common."""
    mixed_share: float = 0.02
    """Smallest share of images of a mode other than the most common one to report; that is enough for a model to use
    it as a feature."""


def find(fact: ImagesSeen, limits: Limits) -> Found:
    images = max(1, fact.images)
    if fact.broken:
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.broken:,} of {fact.images:,} images cannot be decoded: {few(fact.broken_examples, 2)}",
            wanted="images that decode completely",
            severity=Severity.ERROR,
            confidence=0.95,
            numbers={"broken": fact.broken},
        )
    if fact.flat >= max(2, limits.flat_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw=f"{fact.flat:,} of {fact.images:,} images are a single colour: {few(fact.flat_examples, 3)}",
            wanted="images that show something",
            cause="data-degenerate",
            likely="blank pages, frames from before a film begins, or crops from beyond the edge of an image",
            do="look at a few, and leave out those that show nothing",
            numbers={"flat": fact.flat},
        )
    if fact.dark >= max(2, limits.flat_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw=f"no value above 2 (of 255) in {fact.dark:,} of {fact.images:,} images: {few(fact.dark_examples, 3)}",
            wanted="values from 0 to 255",
            cause="data-scale",
            likely="values from 0 to 1 were written as integers",
            do="multiply by 255 before writing",
            numbers={"dark": fact.dark},
        )
    common = max(fact.modes.values(), default=0)
    if len(fact.modes) > 1 and sum(fact.modes.values()) - common >= max(2, limits.mixed_share * images):
        yield Evidence(
            where=of_table(fact.file),
            saw="images of several modes: " + ", ".join(f"{count:,} {mode}" for mode, count in fact.modes.items()),
            wanted="one mode, or a program that converts every image",
            severity=Severity.NOTE,
            cause="data-degenerate",
            do="call `image.convert('RGB')` where images are opened",
        )


CHECK = Check(
    id="FL1013",
    summary="images cannot be read, or show nothing",
    causes=("data-outlier", "data-degenerate", "data-scale"),
    likely="files were truncated while being copied, or are in another format than their names say",
    fix="copy those files again, or leave them out",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
