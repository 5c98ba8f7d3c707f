"""Which examples of a batch a loss pulls together, beside which of them are alike."""

import math

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting

EVEN_RANKS = 12.0
"""One over the variance of a number between 0 and 1, each as likely."""


class Likeness(msgspec.Struct, frozen=True, kw_only=True):
    """How near in the data the second example of each pair is to the first, among all others of the batch."""

    pairs: int = 0
    rank: float = 0.5
    """Mean, from 0 for the nearest to 1 for the furthest."""

    @property
    def deviations(self) -> float:
        """By which pairs are more alike than any two."""
        return (0.5 - self.rank) * math.sqrt(EVEN_RANKS * max(0, self.pairs))


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """What a loss that compares labels does to pairs with the same label, and to pairs with different ones."""

    looks: int = 0
    same: float = 1.0
    """Share of all that it does to pairs with one label which pulls them together; the rest pushes them apart."""
    other: float = 0.0
    """The same of pairs with different labels."""
    nearer: float = 1.0
    """Share of the examples that a small step brings nearer to those with their label than to the others."""


class PairsPulled(Sighting, frozen=True, kw_only=True, tag="pairs-pulled"):
    """Pairs that a loss pulls together: by their places in the batch, the same at every look."""

    site: Site | None
    looks: int
    fixed: float
    """Share of the examples looked at that are pulled to one other above all, each time to the one in that place."""
    pulled: Likeness = Likeness()
    matching: str = ""
    """In words, of the ways to pair the examples of a batch by place, the one in which they are most alike."""
    matched: Likeness = Likeness()
    beside: Likeness = Likeness()
    """Of the pairs one place further on: where those are alike too, the examples come in an order of their own."""
    shared: float = 0.0
    """Of the pairs of that matching, those that the loss pulls together; below, those it pushes apart alone."""
    pushed: float = 0.0
    copies: float = 0.0
    """Of the same pairs, those whose inputs have the same values; below, those whose embeddings have them, too."""
    same: float = 0.0
    drawn: bool = False
    """A loader gives the two inputs side by side, and other values for the same row later: they are made anew."""
    labelled: Labelled = Labelled()
    held: float = 0.0
    """Share of the pairs that it pushes apart above all others which are at the same place as they were before."""
    parted: Likeness = Likeness()
    """Of those pairs."""
    others: float = 0.0
    """Share of what it does to all pairs but these that pulls them together."""
