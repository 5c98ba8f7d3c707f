"""What the copies of a program tell of it: its losses held against theirs."""

import math
import statistics
from collections.abc import Iterator

import msgspec

from firstlight.experiments.engine import (
    backwards_for_a_step,
    losses_of,
    timelines_of,
)
from firstlight.experiments.plan import TERMS, Order
from firstlight.facts.contrast import LEAST_STEPS, Fed, behind, contrast, level
from firstlight.facts.learning import compete, is_meant_to_rise
from firstlight.facts.sightings import Sightings
from firstlight.facts.stepping import clip_orders
from firstlight.observe.watch import Watched
from firstlight.records.contrast import (
    WHOLE,
    Contrast,
    ScoreTold,
    TermTried,
    WholeRun,
)
from firstlight.records.directions import grows
from firstlight.records.facts import ClipOrder, LossSite
from firstlight.records.learning import LearningSign
from firstlight.records.program import LoaderSeen
from firstlight.records.steered import EndReached, TermJoined
from firstlight.records.taped import GuessSeen
from firstlight.records.training import BackwardSeen, StepSeen

TWO = 2
"""Terms of a sum: what is not the one is the other."""


def whole_runs(watched: Watched) -> tuple[WholeRun, ...]:
    """The copies that came to the end of the program, once the one did that nothing is changed in."""
    ends = {
        name: (losses, [one.told for one in records if isinstance(one, EndReached)])
        for name, records in watched.timelines.items()
        if name.startswith(WHOLE) and len(losses := losses_of(records)) >= LEAST_STEPS
    }
    known = {name: (losses, told[0]) for name, (losses, told) in ends.items() if told}
    if WHOLE not in known:
        return ()
    (own, own_told), guess = known.pop(WHOLE), guess_of(watched)
    return tuple(
        WholeRun(
            name=name,
            steps=len(losses),
            base=level(own),
            other=level(losses),
            ahead=behind(level(own), level(losses), guess),
            told=tuple(_told_of(own_told, told)),
        )
        for name, (losses, told) in known.items()
    )


def _told_of(own: dict[str, float], other: dict[str, float]) -> Iterator[ScoreTold]:
    for name in own.keys() & other.keys():
        was, now, up = own[name], other[name], grows(name)
        if up is not None:
            yield ScoreTold(name=name, was=was, now=now, better=now > was if up else now < was)


def guess_of(watched: Watched) -> float | None:
    """The loss of one answer for all inputs of a batch, in the median."""
    told = [look.guess for look in watched.of(GuessSeen) if look.rank == 0]
    return statistics.median(told) if told else None


def _guess_of_others(watched: Watched) -> float | None:
    """The same of the terms that meet the answers alone."""
    told = [look.guess - look.aside for look in watched.of(GuessSeen) if look.rank == 0]
    return statistics.median(told) if told and all(map(math.isfinite, told)) else None


def contrasted(watched: Watched, orders: list[Order], losses: list[LossSite]) -> Contrast | None:
    """The timelines against the program, with the loss and the rate they are about."""
    steps = watched.of(StepSeen)
    backwards = watched.of(BackwardSeen)
    raised = is_meant_to_rise(Sightings(watched.records), 0)
    found = contrast(
        timelines_of(watched, [order for order in orders if not order.to_end]),
        loss=max(losses, key=lambda loss: loss.calls, default=None),
        first_step=steps[0] if steps else None,
        fed=Fed(
            by_loader=comes_by_loader(watched),
            calls=max((backward.calls for backward in backwards[:10]), default=0),
            answered=is_answered(watched) and not raised,
            against=compete(steps) or raised,
            own=_asks_itself(watched),
        ),
    )
    return found and msgspec.structs.replace(
        found,
        clip=clip_of(watched),
        terms=tuple(_terms_of(watched, found)),
        guess=guess_of(watched),
        whole=whole_runs(watched),
        accumulated=backwards_for_a_step(watched.records),
    )


def comes_by_loader(watched: Watched) -> bool:
    return bool(watched.of(LoaderSeen))


def is_answered(watched: Watched) -> bool:
    """Its predictions meet answers that are not its own, and one optimizer alone trains it."""
    optimizers = {step.optimizer for step in watched.of(StepSeen)}
    return len(optimizers) == 1 and any(sign.steps and not sign.own_answers for sign in watched.of(LearningSign))


def _asks_itself(watched: Watched) -> bool:
    """Whatever its predictions were seen to meet was made by the network before."""
    signs = [sign for sign in watched.of(LearningSign) if sign.steps]
    return bool(signs) and all(sign.own_answers for sign in signs)


def _terms_of(watched: Watched, found: Contrast) -> Iterator[TermTried]:
    for at in TERMS:
        off, aside = found.of(f"term-{at}-off"), found.of(f"term-{at}-aside")
        joined = [one for one in watched.timelines.get(f"term-{at}-off", ()) if isinstance(one, TermJoined)]
        if off is not None and aside is not None and joined:
            steps = min(off.steps, aside.steps)
            told = (losses_of(watched.timelines[f"term-{at}-{how}"])[:steps] for how in ("off", "aside"))
            ahead = [beside - without for without, beside in zip(*told, strict=True)]
            yield TermTried(
                site=joined[0].site,
                aside=joined[0].aside,
                steps=steps,
                without=off.other,
                beside=aside.other,
                noise=level(ahead).noise,
                averaged=joined[0].averaged,
                guess=_guess_of_others(watched) if joined[0].aside and joined[0].terms == TWO else None,
            )


def clip_of(watched: Watched) -> ClipOrder | None:
    """None where the program does not clip, or on several lines."""
    found = [clip for clip in clip_orders(Sightings(watched.records)) if clip.rank == 0]
    return found[0] if len(found) == 1 else None
