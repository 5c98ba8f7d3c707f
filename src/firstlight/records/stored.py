"""What datasets keep, and how they give it."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class ImagesTurned(msgspec.Struct, frozen=True, kw_only=True):
    """Images that a dataset gives otherwise than it keeps them, and a number of the answer that may turn with them."""

    how: str = ""
    """Empty where they are not, or all are."""
    share: float = 0.0
    """Of the images."""
    part: int = 0
    kept: float = 0.0
    """Share of that number that a plain fit foretells from the images as they are kept, below, as they are given, and
    as they are given where the number is mirrored with them."""
    given: float = 0.0
    mirrored: float = 0.0


class NumbersExchanged(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of an answer that fit mirrored images only in each other's place."""

    pairs: tuple[tuple[int, int], ...] = ()
    """Empty where there are none."""
    examples: int = 0
    """That are mirrored."""
    as_they_are: float = 0.0
    """Mean square by which these numbers are off what a plain fit to the others foretells, where 1 is what they usually
    differ by; and below, once the numbers of each pair are exchanged."""
    exchanged: float = 0.0


class ClassesTurned(msgspec.Struct, frozen=True, kw_only=True):
    """Examples of a class that a line of the program changes, and that a plain fit then takes for another class."""

    name: str = ""
    """Of the function; empty where no line changes any examples. Below, the line."""
    site: Site | None = None
    share: float = 0.0
    """Of the examples, those that it changes."""
    kept: float = 0.0
    """How often the fit is right about examples as they came to the line, each left out in turn."""
    pair: tuple[int, ...] = ()
    """The class, and the one that it is taken for; and below, changed examples of the first."""
    examples: int = 0
    taken: float = 0.0
    """Share of these, less the share taken for the second where nothing was changed."""
    carried: float = 0.0
    """Share of all examples of the first that are changed and taken for the second."""
    apart: float = 0.0
    """How far these are from the nearest examples of the second, over how far those are from one another."""


class ExamplesStored(msgspec.Struct, frozen=True, kw_only=True):
    """What a dataset keeps of its examples, beside what it gives."""

    name: str = ""
    """Of its class; empty where it keeps no array of them. Below, where it gives an example."""
    site: Site | None = None
    examples: int = 0
    kept_values: int = 0
    """Different ones in an example, usually; below, as it is given."""
    given_values: int = 0
    kept_skill: float = 0.0
    """Of a plain fit over classes: 0 is what one answer for all gets, 1 is never wrong."""
    given_skill: float = 0.0
    turned: ImagesTurned = ImagesTurned()
    numbers: NumbersExchanged = NumbersExchanged()
    """Among those that `turned` tells of."""


class KeptReread(Sighting, frozen=True, kw_only=True, tag="kept-reread"):
    """What becomes of the examples that a dataset keeps when they are read again and again, in a copy of the process.

    Only where the same random numbers gave the same examples, so that what differs is what is kept.
    """

    name: str
    """Of the dataset's class. Below, where it gives an example, and where that writes into what is kept."""
    site: Site | None
    writes: Site | None = None
    examples: int
    readings: int = 0
    once: float = 0.0
    """How far what is kept of the examples is from what it was, after one reading: a share of what its values usually
    differ by from their mean. Below, after all of them."""
    often: float = 0.0
    left: float = 1.0
    """Of what the values kept of an example differ by, after all of them."""
    given: float = 0.0
    """Share of the values given that the readings between made others, with the same random numbers."""
