"""Which copies of a program are made first, and how an experiment becomes an order."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from firstlight.checks.learning import one_batch_not_learned
from firstlight.checks.loss import penalty_outweighs
from firstlight.diagnosis.evidence import FAST
from firstlight.experiments.engine import (
    Engine,
    backwards_for_a_step,
    changes_nothing,
    fates,
    losses_of,
    opened,
)
from firstlight.experiments.plan import BY_NAME, TERMS, Order
from firstlight.experiments.rehearsal import NEVER, attempts_of
from firstlight.facts.contrast import BY_HEART, LEARNT, LEAST_SHARE, LEAST_STEPS, behind, level, lost
from firstlight.facts.dealings import returning
from firstlight.facts.sightings import Sightings
from firstlight.judge.assurance import RISEN
from firstlight.judge.contrasting import comes_by_loader, guess_of, is_answered, whole_runs
from firstlight.observe.watch import Watched
from firstlight.records.contrast import (
    BLIND,
    HIGHER_RATES,
    LOWER_RATES,
    MISMATCHED,
    UNMOVED,
    WHOLE,
    Level,
)
from firstlight.records.inner import Movement
from firstlight.records.learning import CERTIFIED, NO_SIGN, SEEN, LearningSign
from firstlight.records.nonfinite import NonFinite
from firstlight.records.program import Ending
from firstlight.records.rehearsal import Shortened
from firstlight.records.taped import OUTPUTS, PenaltySeen
from firstlight.records.training import BackwardSeen

CONTROLS: dict[str, tuple[str, ...]] = {
    "quick": (),
    "standard": ("probes", "one-batch", "permuted-targets", "lr-tenth", "lr-tenfold", "unregularised"),
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
        "unregularised",
        "unclipped",
        "fp32",
        "standardised",
        "other-seed",
    ),
}
"""Made of every program; whatever else is made answers a question that they or the program raised."""
STEPS = 150
TIGHT = 100.0
"""Norm of the gradients over the norm they are clipped to, from which on clipping is suspected to hold them back."""
STARTS = 0.1
"""Share of its first loss by which a run has begun to move."""
MOVES = one_batch_not_learned.CHECK.limits.fell
"""Share of its first loss that a copy which moves at all on its one batch has lost at least."""
STANDS = 0.02
"""Share of its first loss that a run which stands still has lost at most."""
AHEAD = 0.2
"""Share of what a copy gained that the program did not, from which on the whole run of both is compared."""
WHOLE_TIMES = 2.5
"""Times the seconds of an experiment that a copy of the whole run at another rate is expected to take at most."""
POLICY_TIMES = 4.0
"""The same of a copy that says whether a policy comes to return more."""
LONGEST_TIMES = 6.0
"""The same, after which such a copy is ended all the same."""
LOCALISED = "localised"
LOCALISING_SECONDS = 30.0
"""Every operation of the step is looked at, after the steps before it were repeated."""


def order(engine: Engine, names: tuple[str, ...], seconds: float) -> bool:
    """Orders the experiments that were not ordered before, with so many seconds for each; False where none is new."""
    known = {ordered.name for ordered in engine.ordered}
    new = orders_for(tuple(name for name in dict.fromkeys(names) if name not in known), seconds)
    if new:
        engine.order(*new)
    return bool(new)


def localise(engine: Engine, watched: Watched) -> None:
    """Has the step of the first non-finite value repeated operation by operation, once one was seen."""
    bad = [record for record in watched.of(NonFinite) if record.kind != "input" and not record.scaled]
    if not bad or any(ordered.name == LOCALISED for ordered in engine.ordered):
        return
    step = min(record.step for record in bad)
    words = (f"localise={step}",)
    engine.order(Order(name=LOCALISED, interventions=words, steps=step + 2, seconds=LOCALISING_SECONDS))


def next_rungs(watched: Watched, seconds: float = 0.0) -> tuple[str, ...]:
    """The experiments that go on where an earlier one of their ladder told something, or nothing at all moved; with so
    many seconds for each."""
    ended = fates(watched)
    made = [name for name in ended if name not in BY_NAME or not changes_nothing(watched, BY_NAME[name].interventions)]
    levels = {name: level(losses) for name in made if len(losses := losses_of(watched.timelines.get(name, []))) > 1}
    base = losses_of(watched.records)
    found: list[str] = []
    found += ["regularised"] if "unregularised" in ended and not _is_again(watched, "unregularised") else []
    fair = len(base) >= (LEAST_STEPS if watched.over or watched.of(Ending) else STEPS)
    if "one-batch" in levels and lost(levels["one-batch"]) < (
        BY_HEART if fair and lost(level(base)) < LEARNT else MOVES
    ):
        found += ["one-batch-tenfold", "one-batch-hundredfold"]
    if fair:
        found += ["sharpened"] if not _learns(level(base)) else []
        found += [MISMATCHED] if _learns_what_it_saw(watched) else []
        found += [UNMOVED] if level(base).finite and abs(lost(level(base))) < STARTS else []
        found += _rates(watched, base, levels)
        found += _terms(watched, base, levels)
        found += _to_the_end(watched, base, levels) if _fits(watched, WHOLE_TIMES * seconds) else []
        found += [WHOLE] if _may_yet_rise(watched) and _fits(watched, POLICY_TIMES * seconds) else []
    return tuple(found)


def _is_again(watched: Watched, name: str) -> bool:
    """The copy made the same losses as the program: what it was to do without, the program does not do."""
    other = losses_of(watched.timelines.get(name, []))[: STEPS - BY_NAME[name].eval_tail]
    both = list(zip(losses_of(watched.records), other, strict=False))
    return len(both) >= LEAST_STEPS and all(one == another for one, another in both)


def _to_the_end(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> list[str]:
    """Copies of the whole run, where a short one at another rate is well ahead of all that the program got to."""
    ahead = _ahead(watched, losses, levels)
    if not ahead:
        return []
    found = [WHOLE, *(f"{WHOLE}-{name.removeprefix('lr-')}" for name in ahead)]
    climbed = any(run.name == "whole-tenfold" and run.ahead >= AHEAD for run in whole_runs(watched))
    return [*found, "whole-hundredfold"] if climbed else found


def _ahead(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> list[str]:
    """Whose rate got further in its short run than the program in its long one."""
    nursery = opened(watched)
    if (
        nursery is None
        or nursery.engine != "fork"
        or watched.exit_code
        or not (is_answered(watched) or comes_by_loader(watched))
    ):
        return []
    guess, base = guess_of(watched), level(losses)
    return [
        name for name in ("lr-tenfold", "lr-tenth") if name in levels and behind(base, levels[name], guess) >= AHEAD
    ]


def awaits_length(watched: Watched) -> bool:
    """Whether it is worth waiting for a rehearsal to tell how long the whole run is."""
    if planned_steps(watched) is not None or any(True for _ in attempts_of(watched)):
        return False
    base = losses_of(watched.records)
    levels = {
        name: level(losses)
        for name in ("lr-tenfold", "lr-tenth")
        if (losses := losses_of(watched.timelines.get(name, ())))
    }
    return len(base) >= LEAST_STEPS and (bool(_ahead(watched, base, levels)) or _may_yet_rise(watched))


def planned_steps(watched: Watched) -> int | None:
    """Of the whole program: as many as it made, where it came to its end, else as many as its loops plan."""
    if any(end.reason == "exit" for end in watched.of(Ending)):
        return watched.steps
    told = [one.planned_steps for _, seen in attempts_of(watched) for one in seen if isinstance(one, Shortened)]
    return next((steps for steps in told if steps is not None), None)


def _fits(watched: Watched, seconds: float) -> bool:
    """The program is over, and the whole run of a copy does not take too long, by the pace of the others."""
    planned = planned_steps(watched) if watched.over or watched.of(Ending) else None
    paces = [
        fate.seconds / len(losses)
        for name, fate in fates(watched).items()
        if len(losses := losses_of(watched.timelines.get(name, ()))) >= LEAST_STEPS
    ]
    if planned is None or not paces:
        return False
    return planned * backwards_for_a_step(watched.records) * min(paces) <= seconds


def _may_yet_rise(watched: Watched) -> bool:
    """A policy whose episodes returned no more so far, and that was not seen to its end."""
    nursery = opened(watched)
    if nursery is None or nursery.engine != "fork" or watched.exit_code:
        return False
    return any(not one.to_end and not one.rise >= RISEN for one in returning(Sightings(watched.records)))


def _terms(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> list[str]:
    """Each term of the loss taken out of it, where there are several and nothing is known to be learnt, or one rules.

    A term that outweighs the others may fall by itself, while they are no better than with answers of other inputs.
    """
    sums = [back.terms for back in watched.of(BackwardSeen) if back.terms is not None]
    if not sums or not 1 < sums[0] <= max(TERMS):
        return []
    certified = any(sign.status == CERTIFIED for sign in watched.of(LearningSign)[-1:])
    doubtful = _shows_no_sign(watched) or _is_outweighed(watched)
    if not doubtful and (certified or not _is_blind(watched, losses, levels)):
        return []
    return [f"term-{at}-{how}" for at in TERMS[: sums[0]] for how in ("off", "aside")]


def _is_outweighed(watched: Watched) -> bool:
    """A penalty on weights pulled far harder than the data, at a look at least."""
    times = penalty_outweighs.CHECK.limits.times
    return any(look.on != OUTPUTS and look.own > times * look.through for look in watched.of(PenaltySeen))


def _is_blind(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> bool:
    """The copy whose answers belong to other inputs is as good."""
    if BLIND not in levels:
        return False
    base = level(losses[: len(losses_of(watched.timelines[BLIND]))])
    return levels[BLIND].finite and base.finite and levels[BLIND].last - base.last < STANDS * abs(base.last)


def _learns_what_it_saw(watched: Watched) -> bool:
    return any(sign.reason == SEEN for sign in watched.of(LearningSign)[-1:])


def _shows_no_sign(watched: Watched) -> bool:
    return any(sign.status == NO_SIGN for sign in watched.of(LearningSign)[-1:])


def _rates(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> list[str]:
    """Lower ones where the program goes up or its weights leap, until one learns; higher ones where it stands, until
    one moves."""
    base = level(losses)
    rises = not base.finite or lost(base) < -STANDS
    leaps = _leaps(watched)
    lower = _climbs(
        LOWER_RATES,
        base,
        levels,
        lambda at: (rises and (not at.finite or lost(at) < STANDS)) or (leaps and not _learns(at)),
    )
    stands = base.finite and _stands(watched, losses, levels)
    return lower + _climbs(HIGHER_RATES, base, levels, lambda at: stands and at.finite and abs(lost(at)) < STARTS)


def _stands(watched: Watched, losses: Sequence[float], levels: dict[str, Level]) -> bool:
    """Hardly below the copy that never moved, on the same batches; or, as long as there is none, below its start."""
    base = level(losses)
    if UNMOVED in levels and levels[UNMOVED].finite:
        unmoved = losses_of(watched.timelines[UNMOVED])
        return abs(level(unmoved).last - level(losses[: len(unmoved)]).last) < STANDS * abs(base.first)
    still = _shows_no_sign(watched) or abs(lost(base)) < STANDS
    return still and abs(lost(base)) < STARTS


def _leaps(watched: Watched) -> bool:
    """A step changes weights by a good part of their size, at most looks."""
    paces = [look.pace for look in watched.of(Movement) if look.pace is not None]
    return bool(paces) and statistics.median(paces) > FAST


def _climbs(ladder: Iterable[str], base: Level, levels: dict[str, Level], ill_at: Callable[[Level], bool]) -> list[str]:
    """The next rung, while the last one was clearly better than the one before it or the illness is still the same."""
    before = base
    for rung, further in pairwise(ladder):
        if rung not in levels:
            return []
        at = levels[rung]
        better = at.finite and (not before.finite or at.last < (1 - LEAST_SHARE) * before.last)
        if not ill_at(at) and not (better and not _learns(base)):
            return []
        if further not in levels:
            return [further]
        before = at
    return []


def _learns(base: Level) -> bool:
    return base.finite and lost(base) > LEARNS


LEARNS = 0.5
"""Share of its first loss lost by a program whose rate need not be searched for."""


def orders_for(names: tuple[str, ...], seconds: float) -> list[Order]:
    return [
        Order(
            name=experiment.name,
            interventions=experiment.interventions,
            steps=NEVER if experiment.to_end else STEPS,
            seconds=LONGEST_TIMES * seconds if experiment.to_end else seconds,
            eval_tail=experiment.eval_tail,
            to_end=experiment.to_end,
        )
        for experiment in (BY_NAME[name] for name in names if name in BY_NAME)
    ]
