"""From facts and findings to what the knowledge base speaks of. Only what was measured is said, present or absent."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from firstlight.checks.declare import Check
from firstlight.checks.learning import plain_fit_does_better
from firstlight.checks.model import units_dead
from firstlight.diagnosis.case import Case, Claim, Hint
from firstlight.diagnosis.knowledge.declare import Experiment
from firstlight.diagnosis.knowledge.repairs import REPAIRS
from firstlight.diagnosis.proof import holds, proof_of
from firstlight.diagnosis.rank import UNKNOWN
from firstlight.facts.contrast import ALIKE, BY_HEART, LEARNT, improves, lost
from firstlight.records.census import Census
from firstlight.records.contrast import HIGHER_RATES, Contrast, Pair
from firstlight.records.facts import ClipOrder, Feeding, FirstBad, LossCurve, LossSite, Motion, Rate
from firstlight.records.feed import FeedSeen
from firstlight.records.finding import Finding
from firstlight.records.flows import Narrowing
from firstlight.records.inner import Units
from firstlight.records.learning import CERTIFIED, NO_SIGN, LearningSign
from firstlight.records.relations import Relations
from firstlight.records.report import CheckOutcome, Status
from firstlight.records.timelines import Behaviour, Dependence

Seen = Iterator[tuple[str, bool]]

FALLS = 0.3
"""Share of the first loss lost by a run that falls steadily."""
FLAT = 0.02
RISES = -0.1
FAR_BELOW, FAR_ABOVE = 0.5, 2.0
"""First loss over that of a guess; healthy models begin between 0.87 and 1.45."""
EXPLODES = 10.0
DIFFERS, MODES_DIFFER = 1e-4, 0.5
"""Share of the output by which two calls of a model differ, and its two modes."""
DEAD, ENOUGH = units_dead.CHECK.limits.share, units_dead.CHECK.limits.looks
"""Share of a layer's units, and looks at it."""
SLOW, FAST = 2e-5, 0.1
"""Step of a weight over its size; the median of healthy programs lies between 2e-4 and 0.1."""
SCORED = ("cross_entropy", "nll_loss")


def case_of(facts: Iterable[Any], findings: Iterable[Finding]) -> Case:
    """Everything known about a program, as the engine takes it."""
    known = list(facts)
    seen: dict[str, bool] = {}
    case = Case().given(*contexts(known))
    for fact in known:
        seen |= dict(_observed(fact))
    case = case.observing(seen).claiming(
        Claim(finding.cause, witness.weight, witness.id)
        for finding in findings
        if finding.cause != UNKNOWN
        for witness in finding.witnesses
        if witness.weight > 0
    )
    for contrast in (fact for fact in known if isinstance(fact, Contrast)):
        for name, worked in _tried(contrast, behind=seen.get(BASELINE_WINS, False)):
            case = case.repairing(name, worked=worked)
    return case


def ruled_out(outcomes: Iterable[CheckOutcome], checks: Iterable[Check]) -> list[Hint]:
    """A check that sees every form of its cause, and saw none, makes that cause unlikely."""
    by_id = {check.id: check for check in checks if check.exhaustive}
    silent = [one for one in outcomes if one.status is Status.CLEAN and one.reason is None]  # nothing was taken back
    causes = {by_id[outcome.id].causes[0]: outcome.id for outcome in silent if outcome.id in by_id}
    return [Hint(cause, UNLIKELY, because=f"{identifier} found nothing") for cause, identifier in causes.items()]


UNLIKELY = 0.1


def _tried(contrast: Contrast, behind: bool) -> Iterator[tuple[str, bool]]:
    """Repairs and whether they cured. A rung of a ladder that changes nothing says only that it was too low."""
    for repair in REPAIRS:
        pair = contrast.of(repair.slug)
        if pair is None:
            continue
        worked = _cures(repair, pair, contrast, behind)
        if worked or repair.slug not in HIGHER_RATES or not pair.other.finite or abs(lost(pair.other)) > LEARNT:
            yield repair.slug, worked


def _cures(repair: Experiment, pair: Pair, contrast: Contrast, behind: bool) -> bool:
    """A program that learns well by itself is not cured by learning faster, and help is no proof."""
    learns_anyway = pair.base.finite and lost(pair.base) > FALLS and not behind
    return improves(pair) and not learns_anyway and holds(proof_of(repair, pair, contrast), pair, repair.repairs)


def contexts(facts: Iterable[Any]) -> list[str]:
    """What is certainly not there narrows the search."""
    known = list(facts)
    found = []
    if not any(isinstance(fact, ClipOrder) for fact in known):
        found.append("no-clipping")
    rates = [fact for fact in known if isinstance(fact, Rate)]
    if rates and all(len(set(rate.lrs)) == 1 for rate in rates):
        found.append("no-schedule")
    losses = [fact for fact in known if isinstance(fact, LossSite)]
    if losses and not any(loss.function in SCORED for loss in losses):
        found.append("no-classes")
    return found


def _observed(fact: Any) -> Seen:
    look = LOOKS.get(type(fact))
    if look is not None:
        yield from look(fact)


def _curve(curve: LossCurve) -> Seen:
    finite = [value for value in curve.values if math.isfinite(value)]
    if len(finite) < 20 or finite[0] == 0:
        return
    tail = finite[-max(5, len(finite) // 10) :]
    share = (finite[0] - sum(tail) / len(tail)) / abs(finite[0])
    whole = len(finite) == len(curve.values)
    yield "loss-falls-steadily", whole and share > FALLS
    yield "loss-flat-from-start", whole and abs(share) < FLAT
    yield "loss-rises-from-start", whole and share < RISES
    yield "loss-falls-then-explodes", min(finite) < 0.9 * finite[0] and max(tail) > EXPLODES * finite[0]


def _bad(bad: FirstBad) -> Seen:
    yield "nonfinite-values", True
    yield "nonfinite-at-start", bad.step <= 1
    yield "nonfinite-later", bad.step > 1


def _loss(loss: LossSite) -> Seen:
    if loss.function not in SCORED or len(loss.prediction.shape) < 2 or loss.first_value is None:
        return
    ratio = loss.first_value / math.log(max(2, loss.prediction.shape[1]))
    yield "init-loss-far-below-chance", ratio < FAR_BELOW
    yield "init-loss-far-above-chance", ratio > FAR_ABOVE
    yield "init-loss-as-expected", FAR_BELOW <= ratio <= FAR_ABOVE


def _contrast(contrast: Contrast) -> Seen:
    if (one := contrast.of("one-batch")) is not None:
        learnt = lost(one.other) > BY_HEART
        yield "overfits-one-batch", learnt
        yield "cannot-overfit-one-batch", not learnt
        yield "one-batch-loss-explodes", not one.other.finite or one.other.last > EXPLODES * abs(one.other.first)
        yield "one-batch-loss-rises", one.other.finite and lost(one.other) < RISES
        yield "one-batch-loss-plateaus", one.other.finite and abs(lost(one.other)) < BY_HEART / 2
    for name, slug in (("noise-inputs", "noise-inputs-learn-as-well"), ("permuted-targets", PERMUTED)):
        pair = contrast.of(name)
        # Whatever keeps a program from learning at all keeps it from learning wrong pairs too.
        if pair is not None and not contrast.compares_rows and lost(pair.base) > LEARNT:
            yield slug, pair.other.last - pair.base.last < ALIKE * abs(pair.base.first)
    if (again := contrast.of("same-again")) is not None:
        yield "same-seed-differs", again.base.last != again.other.last


PERMUTED = "permuted-targets-learn-as-well"


def _dependence(dependence: Dependence) -> Seen:
    slug = {"examples": "rows-depend-on-other-rows", "future": "outputs-see-the-future"}.get(dependence.kind)
    if slug is not None:
        yield slug, dependence.others > 0


def _census(census: Census) -> Seen:
    silent = census.cut_off.tensors + census.wasted.tensors + census.left_random.tensors
    yield "gradients-missing", silent > 0
    yield "gradients-exactly-zero", census.zero.tensors > 0


def _behaviour(behaviour: Behaviour) -> Seen:
    yield "same-batch-gives-different-outputs", behaviour.again > DIFFERS
    yield "eval-differs-from-train-on-same-data", behaviour.train > MODES_DIFFER
    if behaviour.poisoned is not None and behaviour.poisoned > 0:
        yield "rows-depend-on-other-rows", True


def _units(units: Units) -> Seen:
    if units.looks >= ENOUGH:
        yield from {("units-dead", True)} if units.dead >= DEAD * units.units else ()
        yield from {("activations-saturated", True)} if units.saturated >= DEAD else ()


def _motion(motion: Motion) -> Seen:
    last = motion.looks[-1].pace if motion.looks else None
    if last is not None:
        yield "update-ratio-too-low", 0 < last < SLOW
        yield "update-ratio-too-high", last > FAST
        yield "parameters-unchanged-by-step", last == 0


def _clip(clip: ClipOrder) -> Seen:
    yield "clipped-on-every-step", clip.median_norm > clip.max_norm


def _sign(sign: LearningSign) -> Seen:
    if sign.status in (CERTIFIED, NO_SIGN):
        yield "answers-do-not-matter", sign.status == NO_SIGN


def _feed(feed: FeedSeen) -> Seen:
    given = [fed.train for fed in feed.inputs if fed.train.columns]
    if given:
        yield "features-constant", any(2 * (one.constant + one.twins) > one.columns for one in given)


def _feeding(feeding: Feeding) -> Seen:
    if feeding.compared:
        yield "batch-repeats", feeding.longest_repeat >= feeding.compared > 1 and not feeding.one_batch_epochs


def _relations(relations: Relations) -> Seen:
    limits = plain_fit_does_better.CHECK.limits
    if relations.seen.skills.step >= limits.steps:
        yield BASELINE_WINS, any(plain_fit_does_better.find(relations, limits))


def _narrowing(narrowing: Narrowing) -> Seen:
    yield "network-narrows", narrowing.numbers < narrowing.outputs


BASELINE_WINS = "simple-baseline-wins"


LOOKS: dict[type, Callable[[Any], Seen]] = {
    LossCurve: _curve,
    FirstBad: _bad,
    LossSite: _loss,
    Contrast: _contrast,
    Dependence: _dependence,
    Census: _census,
    FeedSeen: _feed,
    Feeding: _feeding,
    LearningSign: _sign,
    Behaviour: _behaviour,
    Units: _units,
    Motion: _motion,
    ClipOrder: _clip,
    Narrowing: _narrowing,
    Relations: _relations,
}
