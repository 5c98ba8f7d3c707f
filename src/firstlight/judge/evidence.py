"""Everything that is known of a program, and the incidents it amounts to: facts, findings, proof, witnesses."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from firstlight.checks.declare import Check
from firstlight.diagnosis.prove import prove
from firstlight.experiments.plan import Order
from firstlight.experiments.rehearsal import attempts_of
from firstlight.facts.derive import derive
from firstlight.facts.relations import foretold, with_settled
from firstlight.facts.scores import held_back_scores
from firstlight.facts.skipping import with_skips
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.facts.splits import with_rehearsed, with_unread
from firstlight.facts.standing import settled_sign
from firstlight.findings.gather import gather
from firstlight.findings.judge import judge
from firstlight.findings.suppress import suppress
from firstlight.judge.contrasting import contrasted
from firstlight.judge.orders import LOCALISED
from firstlight.judge.rehearsal import farthest_first, rehearsal_of, resume_of
from firstlight.judge.written import written
from firstlight.observe.printed import numbers_in
from firstlight.observe.watch import Watched
from firstlight.records.averages import Averaged
from firstlight.records.carried import ScoreCarried
from firstlight.records.census import Census
from firstlight.records.contrast import WHOLE, Contrast
from firstlight.records.copies import CopySeen
from firstlight.records.dealings import ReturnsSeen
from firstlight.records.declared import Logged, RoundTrip, ScheduleTried
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.facts import LossSite, Mode, StepOrder
from firstlight.records.finding import Finding
from firstlight.records.given_up import GivenUp
from firstlight.records.kept import GraphsKept
from firstlight.records.learning import CERTIFIED, NO_SIGN, LearningSign
from firstlight.records.lived_on import HeldBack
from firstlight.records.nonfinite import BadOperation
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import ScheduleAhead
from firstlight.records.report import CheckOutcome, Status
from firstlight.records.restored import Restored, Resumption, Reused
from firstlight.records.rounded import RoundedAway
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.standing_by import GroupFrozen
from firstlight.records.stuck import StuckAtZero
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import Behaviour, CustomGradient, Dependence
from firstlight.records.training import EvaluationSeen

PROBES = "probes"
LOADERS = "loaders"
LIFE = (
    Restored,
    Resumption,
    Reused,
    ScheduleTried,
    ScheduleAhead,
    RoundTrip,
    Selection,
    AnswersScored,
    Averaged,
    ScoreCarried,
    GraphsKept,
    EvaluationLeaves,
    GivenUp,
    GroupFrozen,
    RoundedAway,
    StuckAtZero,
    CopySeen,
    RandomAgain,
    HeldBack,
)
"""What a rehearsal sees of a program's later life, and the program itself is ended before."""
LATER = (Mode, StepOrder, EvaluationSeen, Census)
"""Facts that the program itself shows too, of the lines it came to. A rehearsal counts the parameters of a model where
some join its training, and no others."""
ANSWERS = (BadOperation, Behaviour, CustomGradient, Dependence, Symmetry)


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that is known and said of one run."""

    facts: tuple[Any, ...]
    findings: tuple[Finding, ...]
    outcomes: tuple[CheckOutcome, ...]
    allowed: tuple[str, ...]
    orders: tuple[Order, ...] = ()


def judged(
    watched: Watched,
    checks: tuple[Check, ...],
    orders: list[Order],
    absent: Mapping[type, str | None] | None = None,
    read: tuple[Any, ...] = (),
) -> Judged:
    """`read` is what the program's source says; it counts once the program was seen training."""
    finished = watched.outcome().ended == "finished"
    facts = [*derive([*watched.records, *_answers(watched)]), watched.outcome(), *(read if watched.backwards else ())]
    if (rehearsal := rehearsal_of(watched)) is not None and watched.outcome().ended not in ("crashed", "killed"):
        facts.append(rehearsal)
    facts += [*_later(watched, facts), *resume_of(watched)]
    for _, rehearsed in islice(attempts_of(watched), 1):
        ended = rehearsal is not None and rehearsal.reached_end
        facts = with_rehearsed(facts, watched.records, rehearsed, ended)
    facts = with_unread(facts, watched.timelines.get(LOADERS, ()))
    if finished:
        facts += held_back_scores(facts, numbers_in(watched.lines))
    losses = [fact for fact in facts if isinstance(fact, LossSite)]
    contrast: Contrast | None = contrasted(watched, orders, losses)
    facts = [settled_sign(fact, contrast, finished) if isinstance(fact, LearningSign) else fact for fact in facts]
    facts = with_skips(with_settled(facts))
    if contrast is not None:
        signs = {fact.status for fact in facts if isinstance(fact, LearningSign)}
        contrast = msgspec.structs.replace(
            contrast,
            certified=CERTIFIED in signs,
            stands_still=signs == {NO_SIGN},
            examples=max((one.examples for one in facts if isinstance(one, LearningSign)), default=0) or None,
            foretold=foretold(facts),
        )
        facts.append(contrast)
    found = judge(checks, facts, watched.backwards > 0, absent)
    kept, allowed = suppress(found.findings, Path.cwd())
    proven = prove(uncontradicted(kept, checks, found.outcomes), contrast, checks)
    gathered = written(gather(proven, symptoms=frozenset(check.id for check in checks if check.symptom)), facts)
    outcomes = settled(found.outcomes, gathered, kept)
    return Judged(tuple(facts), gathered, outcomes, allowed, tuple(orders))


def _later(watched: Watched, facts: list[Any]) -> list[Any]:
    """What only the rehearsal came to: a second stage, the training after an evaluation, the evaluation itself.

    On a line that the program was seen on itself, its own word counts, unless the models went into eval mode later. Of
    several attempts one that reached the end counts first.
    """
    told = {
        _told_by(fact)
        for fact in facts
        if isinstance(fact, LATER)
        and not isinstance(fact, Census)
        and not (isinstance(fact, Mode) and not fact.in_eval)
    }
    later: list[Any] = []
    for records in farthest_first(watched):
        later += [fact for fact in derive(records) if isinstance(fact, LATER) and _told_by(fact) not in told]
        told |= {_told_by(fact) for fact in later}
    return [msgspec.structs.replace(fact, rehearsed=True) if isinstance(fact, StepOrder) else fact for fact in later]


def _told_by(fact: Any) -> tuple[Any, ...]:
    return type(fact), fact.model if isinstance(fact, EvaluationSeen | Census) else fact.site


def settled(
    outcomes: tuple[CheckOutcome, ...], findings: tuple[Finding, ...], kept: tuple[Finding, ...]
) -> tuple[CheckOutcome, ...]:
    """A check whose every finding was taken back is not ill; it says why. `kept` are those no comment allows."""
    stands = {witness.id for finding in findings for witness in finding.witnesses}
    unallowed = {finding.id for finding in kept}

    def told(outcome: CheckOutcome) -> CheckOutcome:
        if outcome.status is not Status.ILL or outcome.id in stands:
            return outcome
        why = "suspected, but not confirmed" if outcome.id in unallowed else "found, but allowed by a comment"
        return msgspec.structs.replace(outcome, status=Status.CLEAN, reason=why)

    return tuple(map(told, outcomes))


def uncontradicted(
    findings: tuple[Finding, ...], checks: tuple[Check, ...], outcomes: tuple[CheckOutcome, ...]
) -> tuple[Finding, ...]:
    """What was read in the source is one witness among others, unless the run shows that it is not so.

    A check of sources names the one that sees its illness at work; where that ran and found nothing, or was switched
    off, it is not told.
    """
    read = {check.id: check.at_work for check in checks if check.needs in READ_FROM_SOURCE}
    open_ = {outcome.name for outcome in outcomes if outcome.status is not Status.CLEAN}
    return tuple(finding for finding in findings if not read.get(finding.id) or read[finding.id] in open_)


def _answers(watched: Watched) -> list[Logged]:
    """What copies were asked about the program; the steps of a copy that was asked are not the program's."""
    asked = [*watched.timelines.get(PROBES, ()), *watched.timelines.get(LOCALISED, ())]
    whole = [record for record in watched.timelines.get(WHOLE, ()) if isinstance(record, ReturnsSeen)]
    rehearsed: list[Logged] = [
        record for _, seen in attempts_of(watched) for record in seen if isinstance(record, LIFE)
    ]
    return [*(record for record in asked if isinstance(record, ANSWERS)), *whole, *rehearsed]
