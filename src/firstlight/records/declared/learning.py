"""What an experiment learns in a short time, and how well that repeats."""

import msgspec

from firstlight.records.declared.fact import DeclaredFact
from firstlight.records.places import Site


class Overfit(DeclaredFact, frozen=True, kw_only=True, tag="overfit"):
    """The same few examples again and again, regularisation off: by the experiment's optimizer, and by Adam's."""

    examples: int
    parameters: int
    values: int
    """Numbers to be learnt by heart."""
    own: tuple[float, ...]
    """Losses with the experiment's optimizer; empty where it has none."""
    reference: tuple[float, ...]
    """The best of a few learning rates of Adam."""
    reference_lr: float
    floor: float | None
    guess: float | None
    """Loss of the best constant answer, where it is known."""
    double_activation_floor: float | None
    """Where the loss would come to rest if probabilities went into it instead of scores."""
    hurried: bool = False
    """The time was up before all steps of the optimizer that counts: the experiment's, else Adam."""
    site: Site | None = None


class Predictions(DeclaredFact, frozen=True, kw_only=True, tag="predictions"):
    """Predictions against targets, after a short training."""

    split: str
    examples: int
    classes: int | None
    """Of the targets, where they are classes."""
    predicted_classes: int | None
    majority_share: float | None
    """Of the targets' most frequent class."""
    target_std: float
    prediction_std: float
    unique: int
    """Distinct values, rounded to a millionth of the targets' spread."""
    nonfinite: int
    correlation: float | None
    """Pearson's; None where one side is constant."""
    rank_correlation: float | None
    linear_correlation: float | None
    """Of a straight-line fit of the same inputs: how much there is to be had."""
    learnt: bool
    """The loss had fallen by then."""
    site: Site | None = None


class Repeat(DeclaredFact, frozen=True, kw_only=True, tag="repeat"):
    """The same thing done twice."""

    eval_difference: float
    """Between two passes in eval mode, against the spread of the outputs."""
    low_precision: bool
    losses: int
    """Steps trained twice from the same seed."""
    first_difference: int | None
    """The first of them whose losses differ."""
    difference: float
    """Relative, at that step."""
    random_modules: tuple[str, ...] = ()
    """Modules whose outputs differed in eval mode although their inputs did not; the first is where it begins."""
    sampled: tuple[str, ...] = ()
    """Functions that drew random numbers in eval mode, where nothing was dropped."""
    site: Site | None = None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One history given to a selector."""

    kind: str
    """`clear`, `noisy`, `flat`, `tied` or `nan`."""
    planted: int | None
    """The best epoch, where there is one."""
    epochs: int
    chosen: int | None
    error: str = ""


class SelectorTried(DeclaredFact, frozen=True, kw_only=True, tag="selector-tried"):
    """Which epochs a selector chooses from histories whose best epoch is known."""

    selector: str
    metric: str
    lower_is_better: bool
    choices: tuple[Choice, ...]
    repeatable: bool
    """Equal histories, equal choices."""
    reads_test: bool
    """Its choice changed when only a metric of the test split did."""
    site: Site | None = None
