"""Which timelines to make of a program, and when: first the controls, then the repairs of what was found."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from firstlight.experiments.engine import Engine, fates, losses_of, timelines_of
from firstlight.experiments.plan import BY_NAME, Order
from firstlight.facts.contrast import LEAST_STEPS, Fed, contrast, level, lost
from firstlight.facts.sightings import Sightings
from firstlight.facts.stepping import clip_orders
from firstlight.observe.watch import Watched
from firstlight.records.contrast import Contrast
from firstlight.records.facts import ClipOrder, LossSite
from firstlight.records.nonfinite import NonFinite
from firstlight.records.program import Ending, LoaderSeen
from firstlight.records.training import BackwardSeen, StepSeen

CONTROLS: dict[str, tuple[str, ...]] = {
    "quick": (),
    "standard": (
        "probes",
        "one-batch",
        "permuted-targets",
        "lr-tenth",
        "lr-tenfold",
        "lr-hundredfold",
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
TIGHT = 100.0
"""Norm of the gradients over the norm they are clipped to, from which on clipping is suspected to hold them back."""
LOCALISED = "localised"
LOCALISING_SECONDS = 30.0
"""Every operation of the step is looked at, after the steps before it were repeated."""
BY_HEART = 0.05
"""Share of its first loss that a copy which learns its one batch has lost at least."""


@dataclass
class Trial:
    """Looks at what is known so far each time it is asked whether everything is settled, and orders what is missing."""

    engine: Engine
    controls: tuple[str, ...]
    suspects: Callable[[Watched], tuple[str, ...]]
    """The repairs worth trying by what the program itself shows, once it is over."""
    seconds: float
    """Of one timeline."""
    _began: bool = False
    _judged: bool = field(default=False)

    def settled(self, watched: Watched) -> bool:
        if not self.engine.attend(watched):
            return True  # training never began, or no timeline of it can be made
        if not self._began:
            self._began = True
            order(self.engine, self.controls, self.seconds)
        localise(self.engine, watched)
        self._retry(watched)
        if not self._judged and (watched.exit_code is not None or watched.of(Ending)):
            self._judged = True
            order(self.engine, self._repairs(watched), self.seconds)
            self.engine.close()
        return self._judged and self.engine.settled(watched)

    def _retry(self, watched: Watched) -> None:
        """One batch that was not learnt is tried again at higher rates before anything is said about it."""
        if "one-batch" in fates(watched):
            losses = losses_of(watched.timelines.get("one-batch", []))
            if len(losses) >= LEAST_STEPS and lost(level(losses)) < BY_HEART:
                order(self.engine, ("one-batch-tenfold", "one-batch-hundredfold"), self.seconds)

    def _repairs(self, watched: Watched) -> tuple[str, ...]:
        names = list(self.suspects(watched))
        clip = clip_of(watched)
        if clip is not None and clip.median_norm >= TIGHT * clip.max_norm:
            names.append("unclipped")
        return tuple(names)


def order(engine: Engine, names: tuple[str, ...], seconds: float) -> None:
    """Orders the experiments that were not ordered before, with so many seconds for each."""
    known = {ordered.name for ordered in engine.ordered}
    engine.order(*orders_for(tuple(name for name in dict.fromkeys(names) if name not in known), seconds))


def localise(engine: Engine, watched: Watched) -> None:
    """Has the step of the first non-finite value repeated operation by operation, once one was seen."""
    bad = [record for record in watched.of(NonFinite) if record.kind != "input" and not record.scaled]
    if not bad or any(ordered.name == LOCALISED for ordered in engine.ordered):
        return
    step = min(record.step for record in bad)
    words = (f"localise={step}",)
    engine.order(Order(name=LOCALISED, interventions=words, steps=step + 2, seconds=LOCALISING_SECONDS))


def orders_for(names: tuple[str, ...], seconds: float) -> list[Order]:
    return [
        Order(
            name=experiment.name,
            interventions=experiment.interventions,
            steps=STEPS,
            seconds=seconds,
            eval_tail=experiment.eval_tail,
        )
        for experiment in (BY_NAME[name] for name in names if name in BY_NAME)
    ]


def contrasted(watched: Watched, orders: list[Order], losses: list[LossSite]) -> Contrast | None:
    """The timelines against the program, with the loss and the rate they are about."""
    steps = watched.of(StepSeen)
    backwards = watched.of(BackwardSeen)
    found = contrast(
        timelines_of(watched, orders),
        loss=max(losses, key=lambda loss: loss.calls, default=None),
        first_step=steps[0] if steps else None,
        fed=Fed(
            by_loader=bool(watched.of(LoaderSeen)),
            calls=max((backward.calls for backward in backwards[:10]), default=0),
        ),
    )
    return found and msgspec.structs.replace(found, clip=clip_of(watched))


def clip_of(watched: Watched) -> ClipOrder | None:
    """None where the program does not clip, or on several lines."""
    found = [clip for clip in clip_orders(Sightings(watched.records)) if clip.rank == 0]
    return found[0] if len(found) == 1 else None
