"""Weights that live on from one stage of a program to the next, and what each stage holds back."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class HeldBack(Sighting, frozen=True, kw_only=True, tag="held-back"):
    """Two stages of one model, as the folds of a cross-validation are, each of which evaluates on other examples.

    The weights were not begun anew in between.
    """

    model: int
    name: str
    site: Site | None
    """Where it is evaluated, and below, the line by which it was made; None where nobody saw it made."""
    made: Site | None
    stages: int
    """In all, and below, which of them the two are, counted from 1."""
    earlier: int
    later: int
    began: int
    """The steps of the earlier one that trained, the first and the last."""
    ended: int
    trained: tuple[int, int]
    """Different examples that each of the two trained on."""
    held: tuple[int, int]
    """Different examples that each of the two evaluated on."""
    before: int
    """Of those the later one evaluated, trained on in the earlier one; and those of the earlier one, in the later."""
    after: int
    now: tuple[int, int]
    """Trained on in the same stage as it evaluated them."""
    rescaled: bool = False
    """They are known again once each column is brought to the scale it had in the earlier stage."""
    shortened: bool = False
    """Seen in the rehearsal, whose steps are not those of the whole program."""

    @property
    def exchanged(self) -> int:
        """More, the surer."""
        return min(self.before, self.after) - sum(self.now)

    @property
    def by_chance(self) -> float:
        """How many of the known ones would be trained on in the stage that evaluates them, were none held back."""
        whole = max(1, sum(self.trained))
        return (self.after * self.trained[0] + self.before * self.trained[1]) / whole
