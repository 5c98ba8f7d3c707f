"""A dataset mirrors its images at random, and a number of their answers that turns with them is kept as it was.

## What it sees
A dataset that keeps an array of images, and gives some of them mirrored or turned. A plain fit foretells a number of
the answer well from the images as they are kept, hardly from the images as they are given, and well again once the
number is mirrored wherever its image is: a coordinate, an angle, a side.

## When it is fine
Answers that do not turn with the image are foretold from both. Where they turn, and are turned, they are foretold from
the images as they are given. Classes are not judged, nor are images that are turned by a little, or read from files.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Relations


class Limits(Settable):
    kept: float = 0.4
    """Of the number, foretold from images as they are kept; where less is, nothing can be told of it."""
    given: float = 0.5
    """Times as much, at most, is foretold from images as they are given."""
    mirrored: float = 0.8
    """Times as much, at least, once the number is mirrored too."""


def find(relations: Relations, limits: Limits) -> Found:
    stored = relations.seen.stored
    turned = stored.turned
    if not (turned.how and turned.kept >= limits.kept and turned.given <= limits.given * turned.kept):
        return
    if not turned.mirrored >= limits.mirrored * turned.kept:
        return
    yield Evidence(
        where=at(stored.site or relations.seen.site, step=relations.seen.step, rank=relations.rank),
        saw=f"`{stored.name}` gives {turned.share:.0%} of its images {turned.how}, and number {turned.part} of the "
        f"answer as it was: a plain fit foretells {max(0.0, turned.given):.0%} of it, {turned.kept:.0%} from images as "
        f"they are kept, and {turned.mirrored:.0%} with the number mirrored as well",
        wanted="answers that turn with their images",
        numbers={"kept": turned.kept, "given": turned.given, "mirrored": turned.mirrored, "share": turned.share},
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
