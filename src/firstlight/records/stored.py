"""What datasets keep, and how they give it."""

import msgspec

from firstlight.records.places import Site


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
    """Examples that a dataset gives mirrored, and what a plain fit to the examples as they are kept takes them for."""

    how: str = ""
    """Empty where none are."""
    share: float = 0.0
    """Of the examples."""
    kept: float = 0.0
    """How often the fit is right about examples as they are kept, of those it was not given."""
    pair: tuple[int, ...] = ()
    """Two classes, and below, examples of either that are given mirrored."""
    examples: int = 0
    taken: float = 0.0
    """How often one of these is taken for the other, and the other for the one, whichever is less."""


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
    classes_turned: ClassesTurned = ClassesTurned()
