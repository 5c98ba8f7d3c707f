"""Whether a program was seen to learn: the evidence a clean verdict rests on."""

import msgspec

from firstlight.records.facts import Ranked
from firstlight.records.places import Site
from firstlight.records.sighting import Sighting

CERTIFIED, NO_SIGN, NOT_CERTIFIED = "certified", "no-sign", "not-certified"
SEEN = "what grew was measured on examples that it had trained on before"


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """A gap between permuted and true answers that was there, and is gone for the rest of what was watched."""

    best_at: int
    """The step at which the loss was lowest."""
    best: float
    """The gap then; and the loss."""
    best_loss: float
    since: int
    """The step from which on it is gone."""
    gap: float
    """In the median since then; and the loss."""
    loss: float


class LearningSign(Sighting, frozen=True, kw_only=True, tag="learning-sign"):
    """The loss of one backward's line, measured with the true answers and with those of the batch permuted.

    `certified`: on examples it had not trained on, the gap between the two has grown since the first steps.
    `no-sign`: it has not, in all the steps measured. `not-certified`: this says nothing about the program.
    """

    status: str
    reason: str
    """Why it is not certified; empty where it is."""
    site: Site | None
    """The backward."""
    meeting: Site | None = None
    """Where predictions meet answers."""
    own_answers: bool = False
    """The network itself had a hand in the answers: a bootstrap, an action it chose, a pseudo-label."""
    steps: int
    """Backwards that were measured, and below, those on examples that were new."""
    fresh: int
    examples: int = 0
    """Different ones in those."""
    first: float | None = None
    """The loss over the first and over the last measured steps."""
    last: float | None = None
    without_inputs: float | None = None
    """The lowest level of the loss with permuted answers: what can be had without knowing whose answer is whose."""
    gap_first: float | None = None
    """Permuted less true loss over the first steps, and over the later half."""
    gap_last: float | None = None
    grown_low: float | None = None
    """The interval of the gap's growth, in units of its spread over permutations."""
    grown_high: float | None = None
    gone: Gone | None = None
    """Where it was certified, and the gap is gone."""
    milliseconds: float = 0.0
    """What measuring took, for each step that was measured."""


class Unlearnt(Ranked, frozen=True, kw_only=True):
    """What had been learnt and was lost again, with the learning rate on the way."""

    site: Site | None
    """The backward."""
    built: Site | None
    """The optimizer."""
    gone: Gone
    rate: float | None
    """Half-way to where the gap was gone; and below, the highest from there on."""
    risen: float | None
    optimizers: int
