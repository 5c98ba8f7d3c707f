"""What an evaluation holds against the targets."""

import msgspec

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class NumbersMet(msgspec.Struct, frozen=True, kw_only=True):
    """What the outputs of a model were wanted to be, over several batches."""

    count: int
    mean: float
    std: float
    drift: float = 0.0
    """Variance between the means of the batches, over what chance makes of it: about one where they were shuffled."""
    standard: bool = False
    """Each of several batches by itself has mean zero and deviation one, and other values than the next."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the outputs of one model were wanted to be, in its loss and where they are scored, in their own units."""

    trained_at: Site | None
    """The line of the loss."""
    trained: NumbersMet
    scored: NumbersMet
    crowded: int = 0
    """Evaluations right after one another, with a step in between: those are a part of the training."""

    @property
    def wider(self) -> float:
        """What is wanted there, over what is wanted in training: by its deviation, and below, by how many deviations
        of training it lies away."""
        return self.scored.std / self.trained.std if self.trained.std > 0 else 0.0

    @property
    def apart(self) -> float:
        return abs(self.scored.mean - self.trained.mean) / self.trained.std if self.trained.std > 0 else 0.0


class PairsTorn(msgspec.Struct, frozen=True, kw_only=True):
    """How far predictions agree with the answers to the examples that they are for, and below, with those that they
    are compared with: the share that is the same class, or the correlation of their ranks."""

    made: float
    met: float


class AnswersScored(Sighting, frozen=True, kw_only=True, tag="answers-scored"):
    """On one line, the answers of a model were compared with something that does not come from it."""

    site: Site | None
    model: str
    times: int
    answers: int
    """All that were compared."""
    least: int
    """Those that are the class the model holds for the least likely, by the sense in which it was trained."""
    moved: int
    """Those that met the targets of other rows: one side is in another order, and the other is not."""
    torn: PairsTorn | None = None
    """Of those, where both sides are known by what was put out and loaded."""
    noisy: int = 0
    """Those that were made with dropout or batch norm at work."""
    noisy_at_end: int = 0
    """Those of them after the last step of all, where the whole model was in train mode and no input came twice."""
    elsewhere: bool
    """On some other line answers met targets in their own order, in the same way: equal, unequal, or subtracted."""
    classes: int = 0
    """Those of which it is known what number they have here and in training."""
    renamed: tuple[tuple[int, int, int], ...] = ()
    """Classes that have another number here than in training: as loaded, trained and compared; the first few."""
    trained_at: Site | None = None
    """Where training is given its classes."""
    counted: int = 0
    """Classes that were counted in training and here, the fewer of both."""
    apart: float = 0.0
    """By how much their shares differ, from 0 to 1."""
    offset: int = 0
    """By how much numbers seem to have been raised in training, and what differs if they were."""
    offset_apart: float = 0.0
    wanted: Wanted | None = None
    """Numbers that were wanted of the model, where they are known."""
    fitting: int = 0
    """Other places where what is wanted of the same numbers is as in training."""

    @property
    def about(self) -> str:
        """What was compared there: several things may be, on one line."""
        return "numbers" if self.wanted is not None else "order" if self.moved > 0 else "classes"
