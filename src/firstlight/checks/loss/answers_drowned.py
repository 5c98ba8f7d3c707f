"""The gradients that train the network hardly depend on its targets.

## What it sees
At a few backwards, the targets of a batch are swapped between its examples, and the gradients at the network's outputs
are computed again. They change by less than a ten-thousandth of their size: other terms of the loss drown the
comparison with these targets, or the targets are so small that the predictions are compared with almost nothing.

## When it is fine
An auxiliary task that is switched on later, or rewards that are not found yet: targets that are all alike are not
judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Pulling


class Limits(Settable):
    share: float = 1e-4
    """Relative change of the output gradients below which the check speaks; programs that learn from their targets
    reach a tenth and more."""
    looks: int = 2
    """Fewest looks, at all of which the change is that small; a single batch may be unusual."""
    larger: float = 100.0
    """Times the predictions that targets are, from which on their unit is the reason: from afar all look alike."""
    pace: float = 0.3
    """Smallest part of their size by which a step changes the weights: the predictions were thrown so far from the
    targets that all of these look alike, and the rate is told elsewhere."""


def find(pulling: Pulling, limits: Limits) -> Found:
    if pulling.share is None or pulling.looks < limits.looks or not pulling.share < limits.share:
        return
    if not pulling.pace < limits.pace:
        return
    what, far = "returns" if pulling.acting else "targets", pulling.larger >= limits.larger
    yield Evidence(
        where=at(pulling.meeting.site, step=pulling.step, rank=pulling.rank),
        saw=f"with the {what} of other examples, the gradients of the outputs change by {pulling.share:.1g} of their "
        f"size at most, over {pulling.looks} looks",
        wanted=f"gradients that depend on which {what} belong to which example",
        cause="rl-reward" if pulling.acting else "data-scale" if far else None,
        likely="rewards are scaled to almost nothing next to the network's own estimates"
        if pulling.acting
        else f"the targets are {pulling.larger:.2g} times as large as the predictions, from where all look alike"
        if far
        else None,
        do="print the returns next to the values that are learned from them"
        if pulling.acting
        else "standardize the targets with the statistics of the training set, and undo it when predicting"
        if far
        else None,
        numbers={"share": pulling.share},
    )


CHECK = Check(
    id="FL229",
    summary="the gradients that train the network hardly depend on its targets",
    causes=("loss-scale", "rl-reward", "data-scale"),
    likely="the weight of this term is orders of magnitude too small, or that of another one too large",
    fix="print the weighted terms of the loss one by one, and bring them to a similar size",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
