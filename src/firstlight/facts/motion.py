"""How weights move and units answer, over the looks that were taken."""

import math
import statistics
from collections.abc import Iterator

import msgspec

from firstlight.facts.sightings import Sightings, groups
from firstlight.records import facts
from firstlight.records.inner import Movement, Touched, Units
from firstlight.records.taped import LIKELIHOODS, PullSeen
from firstlight.records.training import BackwardSeen, LossCall, StepSeen

HALVES = ("float16", "bfloat16")
ENDS = 5


def motions(seen: Sightings) -> Iterator[facts.Motion]:
    steps = seen.of(StepSeen)
    for looks in groups(seen.of(Movement), lambda m: (m.rank, m.optimizer)):
        first = looks[0]
        losses = [
            s.loss for s in steps if s.rank == first.rank and s.optimizer == first.optimizer and s.loss is not None
        ]
        yield facts.Motion(
            rank=first.rank,
            optimizer=first.name,
            site=first.built,
            settings=first.settings,
            looks=tuple(looks),
            fell=_fell([value for value in losses if math.isfinite(value)]),
            answered=any(pull.rank == first.rank and _is_to_fall(pull) for pull in seen.of(PullSeen)),
        )


def _is_to_fall(pull: PullSeen) -> bool:
    """It falls as predictions come nearer to their answers, be they the network's own doing."""
    return pull.kind != LIKELIHOODS and pull.right < pull.contrary


def handlings(seen: Sightings) -> Iterator[facts.Handling]:
    """One for each optimizer that stepped, touched in between or not."""
    touches = seen.of(Touched)
    stepped = {(step.rank, step.optimizer) for step in seen.of(StepSeen)}
    for steps in groups(seen.of(StepSeen), lambda s: (s.rank, s.optimizer)):
        first = steps[0]
        yield facts.Handling(
            rank=first.rank,
            optimizer=first.name,
            site=first.built,
            steps=len(steps),
            touches=tuple(one for one in touches if (one.rank, one.optimizer) == (first.rank, first.optimizer)),
            optimizers=sum(rank == first.rank for rank, _ in stepped),
        )


ALIVE = 0.25
"""Share of the units that may be dead in a layer that answers."""


def units(seen: Sightings) -> Iterator[Units]:
    """The last record of each activation, with the learning rate since it was alive."""
    for looks in groups(seen.of(Units), lambda look: (look.rank, look.order)):
        last = looks[-1]
        alive = [look.step for look in looks if look.dead <= ALIVE * look.units]
        rates = [s.lr for s in seen.of(StepSeen) if s.rank == last.rank and s.lr and alive and s.step >= alive[-1]]
        yield msgspec.structs.replace(
            last,
            rose=max(rates) / rates[0] if rates else 1.0,
            answered=bool(alive),
            pace=largest_pace(seen, last.rank, last.step),
        )


def largest_pace(seen: Sightings, rank: int, until: int) -> float:
    """The largest part of their size by which a step changed weights, in the median; 0 where none was seen."""
    moves = [look.pace for look in seen.of(Movement) if look.rank == rank and look.step <= until]
    return max((pace for pace in moves if pace is not None and math.isfinite(pace)), default=0.0)


def _fell(losses: list[float]) -> float | None:
    if len(losses) < 2 * ENDS:
        return None
    first, last = statistics.median(losses[:ENDS]), statistics.median(losses[-ENDS:])
    return (first - last) / abs(first) if first else None


def precisions(seen: Sightings) -> Iterator[facts.Precision]:
    """One for each rank that computes in fewer bits; none for the others."""
    training = [call for call in seen.of(LossCall) if call.training]
    for calls in groups(training, lambda c: c.rank):
        looks = [look for look in seen.of(Movement) if look.rank == calls[0].rank]
        halves = [moved for look in looks for moved in look.tensors if moved.dtype in HALVES]
        call = next((call for call in calls if call.prediction.dtype in HALVES), calls[0])
        if not halves and call.prediction.dtype not in HALVES:
            continue
        yield facts.Precision(
            rank=call.rank,
            site=call.site,
            scores=call.prediction.dtype,
            weights=halves[0].dtype if halves else "float32",
            scaled=any(back.scale != 1.0 for back in seen.of(BackwardSeen)),
            still=statistics.median(moved.still for moved in halves) if halves else 0.0,
        )
