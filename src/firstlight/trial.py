"""Which timelines to make of a program, and when: first the controls, then the repairs of what was found."""

from collections.abc import Callable
from dataclasses import dataclass, field

from firstlight.diagnosis.repairs import repairs_of
from firstlight.experiments.engine import ForkEngine, timelines_of
from firstlight.experiments.plan import BY_NAME, Order
from firstlight.facts.contrast import contrast
from firstlight.observe.watch import Watched
from firstlight.records import observed
from firstlight.records.facts import Contrast, LossSite
from firstlight.records.finding import Finding

CONTROLS: dict[str, tuple[str, ...]] = {
    "quick": (),
    "standard": (
        "probes",
        "one-batch",
        "permuted-targets",
        "lr-tenth",
        "lr-tenfold",
        "sharpened",
        "regularised",
        "unregularised",
    ),
    "deep": (
        "probes",
        "same-again",
        "sharpened",
        "one-batch",
        "permuted-targets",
        "noise-inputs",
        "lr-tenth",
        "lr-tenfold",
        "lr-hundredfold",
        "lr-constant",
        "regularised",
        "unregularised",
        "unclipped",
        "fp32",
        "standardised",
        "other-seed",
    ),
}
STEPS = 150
SECONDS = 8.0
"""A timeline that is slower than this over its steps is compared over fewer of them."""


@dataclass
class Trial:
    """Looks at what is known so far each time it is asked whether everything is settled, and orders what is missing."""

    engine: ForkEngine
    controls: tuple[str, ...]
    judge: Callable[[Watched], tuple[Finding, ...]]
    """What the program itself shows, once it is over."""
    _began: bool = False
    _judged: bool = field(default=False)

    def settled(self, watched: Watched) -> bool:
        if not watched.timelines:
            return bool(watched.of(observed.Unseen)) or not self.controls or watched.exit_code is not None
        if not self._began:
            self._began = True
            order(self.engine, self.controls)
        if not self._judged and (watched.exit_code is not None or watched.of(observed.Ending)):
            self._judged = True
            order(self.engine, self._repairs(watched))
            self.engine.close()
        return self._judged and self.engine.settled(watched)

    def _repairs(self, watched: Watched) -> tuple[str, ...]:
        causes = [finding.cause for finding in self.judge(watched)]
        return tuple(dict.fromkeys(repair.experiment for cause in causes for repair in repairs_of(cause)))


def order(engine: ForkEngine, names: tuple[str, ...]) -> None:
    """Orders the experiments that were not ordered before."""
    known = {ordered.name for ordered in engine.ordered}
    engine.order(*orders_for(tuple(name for name in dict.fromkeys(names) if name not in known)))


def orders_for(names: tuple[str, ...]) -> list[Order]:
    return [
        Order(
            name=experiment.name,
            interventions=experiment.interventions,
            steps=STEPS,
            seconds=SECONDS,
            eval_tail=experiment.eval_tail,
        )
        for experiment in (BY_NAME[name] for name in names if name in BY_NAME)
    ]


def contrasted(watched: Watched, engine: ForkEngine, losses: list[LossSite]) -> Contrast | None:
    """The timelines against the program, with the loss and the rate they are about."""
    steps = watched.of(observed.StepSeen)
    backwards = watched.of(observed.BackwardSeen)
    return contrast(
        timelines_of(watched, engine.ordered),
        loss=max(losses, key=lambda loss: loss.calls, default=None),
        first_step=steps[0] if steps else None,
        calls=max((backward.calls for backward in backwards[:10]), default=0),
    )
