"""A dataset mirrors its images at random, and a number of their answers that turns with them is kept as it was.

## What it sees
A dataset that keeps an array of images, and gives some of them mirrored or turned. A plain fit foretells a number of
the answer well from the images as they are kept, hardly from the images as they are given, and well again once the
number is mirrored wherever its image is: a coordinate, an angle, a side. Or numbers of the answers fit mirrored images
only in each other's place, by a fit to the others: left and right points, the two ends of a box.

## When it is fine
Answers that do not turn with the image are foretold from both. Where they turn, and are turned, they are foretold from
the images as they are given. Classes are not judged, nor are images that are turned by a little, or read from files.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.relations import Relations
from firstlight.records.stored import ExamplesStored, ImagesTurned, NumbersExchanged

MOST_TOLD = 4
"""Pairs."""


class Limits(Settable):
    kept: float = 0.4
    """Of the number, foretold from images as they are kept; where less is, nothing can be told of it."""
    given: float = 0.5
    """Times as much, at most, is foretold from images as they are given."""
    mirrored: float = 0.8
    """Times as much, at least, once the number is mirrored too."""
    off: float = 0.5
    """Mean square by which numbers are off, where 1 is what they usually differ by: less may be what a fit misses."""
    exchanged: float = 0.3
    """Times as far off, at most, once they are exchanged."""


def find(relations: Relations, limits: Limits) -> Found:
    stored = relations.seen.stored
    where = at(stored.site or relations.seen.site, step=relations.seen.step, rank=relations.rank)
    if _kept_as_it_was(stored.turned, limits):
        yield _not_mirrored(stored, where)
    elif _change_places(stored.numbers, limits):
        yield _not_exchanged(stored, where)


def _kept_as_it_was(turned: ImagesTurned, limits: Limits) -> bool:
    known = bool(turned.how) and turned.kept >= limits.kept
    return known and turned.given <= limits.given * turned.kept and turned.mirrored >= limits.mirrored * turned.kept


def _change_places(numbers: NumbersExchanged, limits: Limits) -> bool:
    off = numbers.as_they_are
    return bool(numbers.pairs) and off >= limits.off and numbers.exchanged <= limits.exchanged * off


def _not_mirrored(stored: ExamplesStored, where: Where) -> Evidence:
    turned = stored.turned
    return Evidence(
        where=where,
        saw=f"`{stored.name}` gives {turned.share:.0%} of its images {turned.how}, and number {turned.part} of the "
        f"answer as it was: a plain fit foretells {max(0.0, turned.given):.0%} of it, {turned.kept:.0%} from images as "
        f"they are kept, and {turned.mirrored:.0%} with the number mirrored as well",
        wanted="answers that turn with their images",
        numbers={"kept": turned.kept, "given": turned.given, "mirrored": turned.mirrored, "share": turned.share},
    )


def _not_exchanged(stored: ExamplesStored, where: Where) -> Evidence:
    numbers = stored.numbers
    pairs = ", ".join(f"{one} and {other}" for one, other in numbers.pairs[:MOST_TOLD])
    return Evidence(
        where=where,
        saw=f"`{stored.name}` gives {stored.turned.share:.0%} of its images {stored.turned.how}, and numbers of their "
        f"answers only fit in each other's place ({pairs}): off by {numbers.as_they_are:.2g} as they are and by "
        f"{numbers.exchanged:.2g} exchanged, where 1 is what they usually differ by, squared",
        wanted="numbers that say the same of an image and of its mirror image",
        likely="an augmentation mirrors image and coordinates, and leaves left and right where they stand",
        do="exchange left and right numbers of the answer wherever the image is mirrored",
        numbers={"as_they_are": numbers.as_they_are, "exchanged": numbers.exchanged, "share": stored.turned.share},
    )


CHECK = Check(
    id="FL178",
    summary="images are mirrored at random, and answers that turn with them are not",
    causes=("data-augment", "data-label-misaligned"),
    likely="an augmentation mirrors the image and leaves coordinates, boxes or angles as they were",
    fix="mirror the answer together with the image (`x` becomes the width less `x`), or leave the mirroring out",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
