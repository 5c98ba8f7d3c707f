"""What the loss function does, on real batches and on made-up predictions."""

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site


class InitialLoss(DeclaredFact, frozen=True, kw_only=True, tag="initial-loss"):
    """The loss of an untrained model against what an uninformed one would score."""

    loss: str
    """The function of torch that computes it, or `custom`."""
    batches: tuple[float, ...]
    """In train mode, one a batch."""
    in_eval: float
    expected: float | None
    """For an uninformed model on the targets seen; None for a loss that is not known."""
    prior: float | None
    """For one that knows how frequent each class is, and nothing else."""
    formula: str
    classes: int | None
    majority_share: float | None
    reduction: str
    pretrained: bool
    watched: bool = False
    """The experiment is trained under observation as well."""
    among_rows: bool = False
    """Each example is to be found again among those of the batch."""
    site: Site | None = None


class LossSense(DeclaredFact, frozen=True, kw_only=True, tag="loss-sense"):
    """The loss of ideal, random and contrary predictions made up for the targets seen."""

    loss: str
    ideal: float
    random: float
    contrary: float
    permuted: float
    """Of the ideal predictions against targets out of order."""
    site: Site | None = None


class MetricTried(DeclaredFact, frozen=True, kw_only=True, tag="metric-tried"):
    """The declared metric of made-up answers to one real batch."""

    ideal: float
    permuted: float
    """Of the ideal answers, out of order."""
    contrary: float
    site: Site | None = None


class Penalty(DeclaredFact, frozen=True, kw_only=True, tag="penalty"):
    """The regulariser by itself."""

    value: float
    larger: float
    """With every weight half as large again."""
    data_loss: float | None
    """None where no loss or no data was declared."""
    site: Site | None = None


class GradientTried(DeclaredFact, frozen=True, kw_only=True, tag="gradient-tried"):
    """A hand-written backward against central differences, in double precision."""

    name: str
    relative_error: float
    """The largest of a few coordinates, at the best of three step sizes."""
    analytic: float
    numeric: float
    kinks: bool
    """The differences themselves do not settle: the function has an edge there."""
    site: Site | None = None
