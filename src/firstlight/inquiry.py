"""Finds the cause by asking: what is known so far decides which experiment is made next."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from firstlight.diagnosis.answer import answer
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.choose import Limits, choose, repairs_worth_trying
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.trail import Trail, inferences, render
from firstlight.experiments.engine import Engine
from firstlight.experiments.plan import BY_NAME
from firstlight.observe.watch import Watched
from firstlight.records.program import Ending
from firstlight.records.report import Hypothesis, Inference, Report
from firstlight.trial import CONTROLS, localise, order

HANDLES = frozenset({"model", "batch", "loss", "optimizer", "targets", "loader", "clipping", "schedule"})
ALWAYS = frozenset({"regularisation", "low-precision"})
MOST_REPAIRS = 3


@dataclass
class Inquiry:
    """Asked again and again whether everything is settled; each time, it orders what would tell most."""

    engine: Engine
    weigh: Callable[[Watched], Case]
    """What is known, as the engine of diagnosis takes it."""
    seconds: float
    symptoms: dict[str, bool] = field(default_factory=dict)
    timeline_seconds: float = 0.0
    """Of one experiment."""
    suspects: Callable[[Watched], tuple[str, ...]] = lambda _: ()
    """The repairs worth trying by what the program itself shows."""
    trail: Trail = field(default_factory=Trail)
    _begun: float | None = None
    _case: Case = field(default_factory=Case)
    _closed: bool = False

    def settled(self, watched: Watched) -> bool:
        if not self.engine.attend(watched):
            return True  # training never began, or no timeline of it can be made
        if self._begun is None:
            self._begun = time.monotonic()
            order(self.engine, CONTROLS["standard"], self.timeline_seconds)
        localise(self.engine, watched)
        over = watched.exit_code is not None or watched.of(Ending)
        if over and not self._closed and self.engine.settled(watched):
            self._ask(watched)
        return self._closed and self.engine.settled(watched)

    def _ask(self, watched: Watched) -> None:
        self._learn(self.weigh(watched))
        limits = self._limits(watched)
        choice = choose(KNOWLEDGE, self._case, limits, self.trail.entropies)
        self.trail = self.trail.choosing(choice)
        if choice.experiment is not None:
            order(self.engine, (choice.experiment.slug,), self.timeline_seconds)
            return
        worth = repairs_worth_trying(KNOWLEDGE, self._case, limits, most=MOST_REPAIRS)
        repairs = (*self.suspects(watched), *(experiment.slug for experiment in worth))
        order(self.engine, repairs, self.timeline_seconds)
        self.engine.close()
        self._closed = True

    def _learn(self, case: Case) -> None:
        case = case.observing({**self.symptoms, **dict(case.observed)})
        self.trail = self.trail.learning(KNOWLEDGE, self._case, case)
        self._case = case

    def _limits(self, watched: Watched) -> Limits:
        spent = time.monotonic() - (self._begun or 0.0)
        made = {ordered.name for ordered in self.engine.ordered}
        impossible = {experiment.slug for experiment in KNOWLEDGE.experiments} - set(BY_NAME)
        return Limits(
            handles=HANDLES | ALWAYS,
            baseline_seconds=max(0.5, watched.seconds - (watched.startup or 0.0)),
            seconds_left=self.seconds - spent,
            tried=frozenset(made),
            without=frozenset(impossible),
        )

    def conclude(self, report: Report, watched: Watched) -> Report:
        """The report with the hypotheses, most probable first, and the way there."""
        self._learn(self.weigh(watched))
        suspects = answer(KNOWLEDGE, self._case)
        found = tuple(
            Hypothesis(
                cause=suspect.cause,
                category=suspect.category,
                probability=round(suspect.probability, 4),
                verified=suspect.verified,
                because=suspect.because,
                role=suspect.role.value,
                credence=suspect.credence,
                for_it=tuple(_said(slug, present) for slug, present in suspect.supported_by),
                against_it=tuple(_said(slug, present) for slug, present in suspect.opposed_by),
                falsifier=suspect.falsifier,
                fix=None if suspect.withheld else suspect.fix,
            )
            for suspect in suspects
        )
        reasoning = (*inferences(KNOWLEDGE, self.trail, suspects), _conclusion(found))
        return msgspec.structs.replace(report, diagnosis=found, trail=render(self.trail), reasoning=reasoning)


def _conclusion(found: tuple[Hypothesis, ...]) -> Inference:
    """All that is known, weighed at once: a finding may have become surer since it was first taken in."""
    beliefs = {hypothesis.cause: hypothesis.probability for hypothesis in found}
    return Inference(kind="concluded", what="everything known, weighed together", beliefs=beliefs)


def _said(slug: str, present: bool) -> str:
    return slug if present else f"not {slug}"
