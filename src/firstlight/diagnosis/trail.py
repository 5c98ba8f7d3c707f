"""How the answer came about: every step with the shift of belief it made, in plain lines for `--explain-trail`."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from firstlight.diagnosis.answer import Suspect, chance
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.choose import ROUND_COST, Choice
from firstlight.diagnosis.engine import Belief, repair, weigh
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase
from firstlight.records.report import Inference

SHOWN = 3


class Kind(StrEnum):
    BEGAN = "began"
    KNOWN = "known"
    OBSERVED = "observed"
    FOUND = "found"
    HINTED = "hinted"
    REPAIRED = "repaired"
    CHOSE = "chose"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Shift:
    cause: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    kind: Kind
    what: str
    why: str = ""
    shifts: tuple[Shift, ...] = ()
    belief: Belief | None = None
    """What was believed once the step was made; None where it changed nothing."""
    cost: float = 0.0
    """Of a chosen experiment, in baselines."""


@dataclass(frozen=True, slots=True)
class Trail:
    steps: tuple[Step, ...] = ()

    def learning(self, base: KnowledgeBase, before: Case, after: Case) -> "Trail":
        """Every part of `after` that `before` does not have, one step each."""
        steps = list(self.steps)
        belief = weigh(base, before)
        if not steps:
            steps.append(_began(before, belief))
        for kind, what, case in _parts(base, before, after):
            now = weigh(base, case)
            steps.append(Step(kind=kind, what=what, shifts=_shifts(belief, now), belief=now))
            belief = now
        return replace(self, steps=tuple(steps))

    def choosing(self, choice: Choice) -> "Trail":
        """Records the experiment and its expected gain, or why there is none."""
        if choice.experiment is None:
            step = Step(kind=Kind.STOPPED, what=choice.reason.value)
        else:
            gain = f"{choice.gain_nats:.3f} nats expected for {choice.seconds:.1f} s"
            rivals = [one.experiment for one in choice.offers if one.experiment != choice.experiment.slug][:SHOWN]
            instead = f"; ahead of {', '.join(rivals)}" if rivals else ""
            step = Step(
                kind=Kind.CHOSE,
                what=f"{choice.experiment.slug}: {choice.experiment.does}",
                why=f"{choice.reason.value} ({gain}{instead})",
                cost=choice.experiment.cost,
            )
        return replace(self, steps=(*self.steps, step))

    @property
    def entropies(self) -> tuple[float, ...]:
        """The belief's entropy before the first round and after each finished one, for `choose`."""
        found: list[float] = []
        last, cost = 0.0, ROUND_COST
        for step in self.steps:
            if step.kind is Kind.CHOSE:
                if cost >= ROUND_COST:
                    found.append(last)
                    cost = 0.0
                cost += step.cost
            last = last if step.belief is None else step.belief.entropy
        return (*found, last) if self.steps and cost >= ROUND_COST else tuple(found)


def render(trail: Trail) -> tuple[str, ...]:
    lines: list[str] = []
    for number, step in enumerate(trail.steps, start=1):
        lines.append(f"{number:>3}  {step.kind.value:<8} {step.what}")
        lines += [f"     {'why':<8} {step.why}"] if step.why else []
        lines += [f"     {'':<8} {one.cause}: {_change(one)}" for one in step.shifts]
    return tuple(lines)


def inferences(base: KnowledgeBase, trail: Trail, suspects: Iterable[Suspect]) -> tuple[Inference, ...]:
    """The same as records, with what was believed of these suspects."""
    shown = tuple(suspects)
    return tuple(
        Inference(
            kind=step.kind.value,
            what=step.what,
            why=step.why,
            beliefs={one.cause: round(chance(base, step.belief, one), 4) for one in shown} if step.belief else {},
        )
        for step in trail.steps
    )


def _change(shift: Shift) -> str:
    return f"{_percent(shift.before)} -> {_percent(shift.after)}"


def _percent(probability: float) -> str:
    return f"{100.0 * probability:.1f} %"


def _began(case: Case, belief: Belief) -> Step:
    context = ", ".join(sorted(case.context)) or "nothing known about the program"
    top = tuple(Shift(slug, belief.probabilities[slug], belief.probabilities[slug]) for slug in belief.ranked[:SHOWN])
    return Step(kind=Kind.BEGAN, what=f"priors for: {context}", shifts=top, belief=belief)


def _shifts(before: Belief, after: Belief) -> tuple[Shift, ...]:
    """Of the causes that lead now, and of the one that led before."""
    shown = dict.fromkeys((*after.ranked[:SHOWN], before.ranked[0]))
    return tuple(Shift(slug, before.probabilities[slug], after.probabilities[slug]) for slug in shown)


def _parts(base: KnowledgeBase, before: Case, after: Case) -> Iterable[tuple[Kind, str, Case]]:
    case = replace(before, context=after.context)
    if after.context != before.context:
        yield Kind.KNOWN, ", ".join(sorted(after.context - before.context)), case
    for slug, present in after.observed:
        if (slug, present) not in before.observed:
            case = case.observing({slug: present})
            yield Kind.OBSERVED, f"{'' if present else 'not seen: '}{base.observation[slug].says} [{slug}]", case
    for claim in after.claims[len(before.claims) :]:
        case = case.claiming((claim,))
        yield Kind.FOUND, f"{claim.because} names {claim.cause} with confidence {claim.confidence:.2f}", case
    for hint in after.hints[len(before.hints) :]:
        case = case.hinting((hint,))
        yield Kind.HINTED, f"{hint.because} makes {hint.cause} {hint.ratio:g} times as likely", case
    for slug, worked in after.repairs:
        if (slug, worked) not in before.repairs:
            experiment, cause = repair(base, slug)
            case = case.repairing(slug, worked=worked)
            effect = "fixes it" if worked else "changes nothing"
            yield Kind.REPAIRED, f"{experiment.does}: {effect} [{slug}, the repair of {cause}]", case
