"""A dataset mirrors its images at random, but not the numbers of the label that should be mirrored with them.

## What it sees
A dataset keeps an array of images and returns some of them mirrored or turned. A simple fit predicts a number of the
label well from the stored images, hardly from the returned ones, and well again if the number is mirrored wherever its
image is: it is a coordinate, an angle or a side. Or, for mirrored images, some numbers of the label agree with the
others only after they are swapped in pairs: left and right points, or the two ends of a box.

## When it is fine
A number that does not change with the image is predicted well from the stored and from the returned images. One that is
mirrored with its image is predicted well from the returned images. Class labels are not judged, nor are images that are
turned by a small angle or read from files.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.relations import Relations
from firstlight.records.stored import ExamplesStored, ImagesTurned, NumbersExchanged

MOST_TOLD = 4
"""Most pairs that are named in the message."""


class Limits(Settable):
    kept: float = 0.4
    """Smallest share of the number that a simple fit predicts from the stored images; with less, nothing can be
    concluded."""
    given: float = 0.5
    """Largest share predicted from the returned images, relative to that from the stored ones."""
    mirrored: float = 0.8
    """Smallest share predicted once the number is mirrored too, relative to that from the stored images."""
    off: float = 0.5
    """Smallest mean squared error of the numbers, where 1 is their variance; less may be the error of the fit."""
    exchanged: float = 0.3
    """Largest error once they are swapped, relative to the error as they are."""


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
        saw=f"`{stored.name}` returns {turned.share:.0%} of its images {turned.how}, but number {turned.part} of the "
        f"label unchanged: a simple fit predicts {max(0.0, turned.given):.0%} of it from these images, "
        f"{turned.kept:.0%} from the stored ones, and {turned.mirrored:.0%} if the number is mirrored too",
        wanted="labels that are mirrored or turned together with their images",
        numbers={"kept": turned.kept, "given": turned.given, "mirrored": turned.mirrored, "share": turned.share},
    )


def _not_exchanged(stored: ExamplesStored, where: Where) -> Evidence:
    numbers = stored.numbers
    pairs = ", ".join(f"{one} and {other}" for one, other in numbers.pairs[:MOST_TOLD])
    return Evidence(
        where=where,
        saw=f"`{stored.name}` returns {stored.turned.share:.0%} of its images {stored.turned.how}, and in their labels "
        f"some numbers fit only if they are swapped ({pairs}): the squared error is {numbers.as_they_are:.2g} as they "
        f"are and {numbers.exchanged:.2g} when swapped, where 1 is their variance",
        wanted="numbers that mean the same for an image and its mirror image",
        likely="an augmentation mirrors the image and the coordinates, but does not swap left and right",
        do="swap the left and right numbers of the label wherever the image is mirrored",
        numbers={"as_they_are": numbers.as_they_are, "exchanged": numbers.exchanged, "share": stored.turned.share},
    )


CHECK = Check(
    id="FL178",
    summary="images are mirrored at random, but the labels that depend on it are not",
    causes=("data-augment", "data-label-misaligned"),
    likely="an augmentation mirrors the image and leaves coordinates, boxes or angles as they were",
    fix="mirror the label together with the image (`x` becomes the width minus `x`), or remove the mirroring",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
