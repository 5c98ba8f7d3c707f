"""What an evaluation leaves behind."""

from firstlight.records.places import Site
from firstlight.records.sighting import Sighting


class EvaluationLeaves(Sighting, frozen=True, kw_only=True, tag="evaluation-leaves"):
    """Training went on after evaluations, and not with what the step before them had left."""

    site: Site | None
    """Where the model was called without gradients."""
    model: str
    evaluations: int
    weights: int
    """Evaluations after which the weights were others, and below the running statistics."""
    statistics: int
    between: int
    """Steps without an evaluation before the next one, between which either was another too."""
    in_eval: bool
    """It was evaluated in eval mode at least once."""
