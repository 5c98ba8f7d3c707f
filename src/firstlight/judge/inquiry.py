"""Finds out by asking: what is known so far decides which copy of the program is made next.

Every program is asked the same few questions. Whatever they raise is followed up: ladders are climbed while they tell,
repairs of what was found are tried, and where something is wrong and unexplained, the experiment is chosen that would
tell most per second. A program that needs none of this is soon done.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from firstlight.diagnosis.answer import Suspect, answer
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.choose import Limits, choose, repairs_worth_trying
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.rank import LEAST_PROBABLE
from firstlight.diagnosis.trail import Trail, inferences, render
from firstlight.experiments.engine import Engine, fates
from firstlight.experiments.plan import BY_NAME
from firstlight.experiments.rehearsal import attempts_of
from firstlight.judge.orders import awaits_length, localise, next_rungs, order
from firstlight.observe.watch import Watched
from firstlight.records.program import Ending
from firstlight.records.report import Hypothesis, Inference, Report

HANDLES = frozenset({"model", "batch", "loss", "optimizer", "targets", "loader", "clipping", "schedule"})
ALWAYS = frozenset({"regularisation", "low-precision"})
MOST_REPAIRS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What an inquiry asks of what is known: the case as the engine of diagnosis takes it, the repairs worth trying,
    and whether something is wrong that is not explained yet."""

    weigh: Callable[[Watched], Case]
    suspects: Callable[[Watched], tuple[str, ...]] = lambda _: ()
    open: Callable[[Watched], bool] = lambda _: True


@dataclass
class Inquiry:
    """Asked again and again whether everything is settled; each time, it orders what would tell most."""

    engine: Engine
    question: Question
    controls: tuple[str, ...] = ()
    seconds: float = 0.0
    """For all experiments together."""
    timeline_seconds: float = 0.0
    """For one experiment."""
    rehearsed: bool = False
    """A rehearsal goes on beside it."""
    symptoms: dict[str, bool] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    searched: bool = False
    """Experiments were chosen because something was not explained."""
    _begun: float | None = None
    _case: Case = field(default_factory=Case)
    _contradicted: tuple[str, ...] = ()
    """Symptoms that were told and that what was seen does not bear out, in words."""
    _repaired: bool = False
    _closed: bool = False
    _heard: "Heard" = (0, 0, 0, False)
    """What was known when the ladders were last looked at, and below, when repairs were last thought of."""
    _weighed: "Heard | None" = None

    def settled(self, watched: Watched) -> bool:
        if not self.engine.attend(watched):
            return True  # training never began, or no timeline of it can be made
        if self._begun is None:
            self._begun = time.monotonic()
            self._order(self.controls)
        localise(self.engine, watched)
        over = watched.exit_code is not None or bool(watched.of(Ending))
        if (heard := _heard_of(watched, over)) != self._heard:
            self._heard = heard
            self._order(next_rungs(watched, self.timeline_seconds))
        if over:
            self._follow_up(watched)
        return self._closed and self.engine.settled(watched)

    def _follow_up(self, watched: Watched) -> None:
        """The program itself is over: repairs of what it shows are tried at once, the rest when the copies are done."""
        if not self._repaired:
            self._repaired = True
            self._order(self.question.suspects(watched))
        if self._closed or not self.engine.settled(watched):
            return
        if self._weighed != self._heard:
            self._weighed = self._heard
            self._order(self.question.suspects(watched))
        if self.rehearsed and not self._spent() and awaits_length(watched):
            return
        if self.engine.settled(watched) and not self._asks_on(watched):
            self.engine.close()
            self._closed = True

    def _spent(self) -> bool:
        return time.monotonic() - (self._begun or 0.0) > self.seconds

    def _asks_on(self, watched: Watched) -> bool:
        """Orders the experiment that would tell most, or the repairs of what is likely; False where nothing is left."""
        if not self.question.open(watched) or self._spent():
            return False
        self.searched = True
        self._learn(self.question.weigh(watched))
        limits = self._limits(watched)
        choice = choose(KNOWLEDGE, self._case, limits, self.trail.entropies)
        self.trail = self.trail.choosing(choice)
        if choice.experiment is not None:
            return self._order((choice.experiment.slug,))
        worth = repairs_worth_trying(KNOWLEDGE, self._case, limits, most=MOST_REPAIRS)
        return self._order(tuple(experiment.slug for experiment in worth))

    def _order(self, names: tuple[str, ...]) -> bool:
        return not self._closed and order(self.engine, names, self.timeline_seconds)

    def _learn(self, case: Case) -> None:
        seen = dict(case.observed)
        self._contradicted = tuple(
            f"you reported: {KNOWLEDGE.observation[slug].says}; the observations say otherwise"
            for slug, present in self.symptoms.items()
            if present and seen.get(slug) is False
        )
        case = case.observing({**self.symptoms, **seen})
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

    def suspects(self, watched: Watched) -> tuple[Suspect, ...]:
        """What may be wrong by all that is known, the most probable first."""
        self._learn(self.question.weigh(watched))
        return answer(KNOWLEDGE, self._case)

    def conclude(self, report: Report, suspects: tuple[Suspect, ...]) -> Report:
        """The report with the hypotheses and the way there."""
        found = tuple(_hypothesis(suspect) for suspect in suspects if suspect.probability >= LEAST_PROBABLE)
        reasoning = (*inferences(KNOWLEDGE, self.trail, suspects), _conclusion(found))
        limits = (*self._contradicted, *report.coverage.limits)
        return msgspec.structs.replace(
            report,
            diagnosis=found,
            trail=render(self.trail),
            reasoning=reasoning,
            coverage=msgspec.structs.replace(report.coverage, limits=limits),
        )


Heard = tuple[int, int, int, bool]
"""Experiments and rehearsals that are over; of a program that is over, its records; and whether nobody waits for it."""


def _heard_of(watched: Watched, over: bool) -> Heard:
    """All that ladders and repairs go by: as long as it is the same, they are."""
    rehearsed = sum(1 for _ in attempts_of(watched))
    return len(fates(watched)), rehearsed, len(watched.records) if over else 0, watched.over


def _hypothesis(suspect: Suspect) -> Hypothesis:
    return Hypothesis(
        cause=suspect.cause,
        category=suspect.category,
        probability=round(suspect.probability, 4),
        verified=suspect.verified,
        because=suspect.because,
        role=suspect.role.value,
        credence=suspect.credence,
        for_it=tuple(_said(slug, present) for slug, present in suspect.supported_by),
        against_it=(*(_said(slug, present) for slug, present in suspect.opposed_by), *suspect.doubted),
        falsifier=suspect.falsifier,
        fix=None if suspect.withheld else suspect.fix,
    )


def _conclusion(found: tuple[Hypothesis, ...]) -> Inference:
    """All that is known, weighed at once: a finding may have become surer since it was first taken in."""
    beliefs = {hypothesis.cause: hypothesis.probability for hypothesis in found}
    return Inference(kind="concluded", what="everything known, weighed together", beliefs=beliefs)


def _said(slug: str, present: bool) -> str:
    return slug if present else f"not {slug}"
