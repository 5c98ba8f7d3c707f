"""What the looks at the tape add up to."""

import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from msgspec.structs import replace

from firstlight.facts.learning import is_meant_to_rise
from firstlight.facts.motion import largest_pace
from firstlight.facts.sightings import Sightings, groups
from firstlight.flows.ranges import Largest, Narrowest, largest, narrowest, squashed, steepest, waist
from firstlight.flows.values import Loss, examples_lost
from firstlight.records.flows import (
    Alike,
    Fading,
    Guessed,
    Levelling,
    Narrowing,
    Place,
    Pulling,
    Swelling,
    TwoComparisons,
)
from firstlight.records.inner import Movement
from firstlight.records.learning import CERTIFIED, NO_SIGN, LearningSign
from firstlight.records.places import Site
from firstlight.records.taped import (
    LIKELIHOODS,
    AlteredSeen,
    AxisSeen,
    CancelSeen,
    ComparisonSeen,
    CrossedSeen,
    FloorSeen,
    GuessSeen,
    LevelledSeen,
    MuteSeen,
    PenaltySeen,
    PullSeen,
    ReachSeen,
    RunawaySeen,
    SettledSeen,
    TapeRow,
    TapeSeen,
    TermSeen,
    TwiceSeen,
    VolumeSeen,
)
from firstlight.records.training import StepSeen

SETTLED_STEPS = 8
"""Layers that begin at zero have moved by then."""
TINY = 1e-12
ROUNDING = 1e-6
"""Relative; two losses that differ by less are the same."""

ALTERED = ("flipped", "turned", "cosine", "lost", "uneven", "kept", "bounded", "sided")
"""What is measured of a gradient that was changed."""


def reaches(seen: Sightings) -> Iterator[ReachSeen]:
    """The last look at each activation before the answers."""
    for looks in groups(seen.of(ReachSeen), lambda look: (look.rank, look.site, look.operation)):
        yield replace(looks[-1], looks=len(looks))


def predicted_twice(seen: Sightings) -> Iterator[TwiceSeen]:
    """The last look at each layer; how alike its answers ever were."""
    for looks in groups(seen.of(TwiceSeen), lambda look: (look.rank, look.site, look.met, look.met_again)):
        likeness = max(look.likeness for look in looks)
        yield replace(looks[-1], looks=len({look.step for look in looks}), likeness=likeness)


def wrong_axes(seen: Sightings) -> Iterator[AxisSeen]:
    """The last look at each place."""
    for looks in groups(seen.of(AxisSeen), lambda look: (look.rank, look.site, look.axis)):
        yield replace(looks[-1], looks=len({look.step for look in looks}))


def crossings(seen: Sightings) -> Iterator[CrossedSeen]:
    """The last look at each line."""
    for looks in groups(seen.of(CrossedSeen), lambda look: (look.rank, look.site)):
        yield replace(looks[-1], looks=len({look.step for look in looks}))


def floors(seen: Sightings) -> Iterator[FloorSeen]:
    """The look at which the loss went down least."""
    for looks in groups(seen.of(FloorSeen), lambda look: (look.rank, look.site)):
        stepped = {step.optimizer for step in seen.of(StepSeen) if step.rank == looks[0].rank}
        least = min(looks, key=lambda look: (look.perfect - look.lowest) / look.spread)
        yield replace(least, looks=len({look.step for look in looks}), optimizers=len(stepped))


def runaways(seen: Sightings) -> Iterator[RunawaySeen]:
    """The look at which the loss fell least, of losses that are to fall."""
    for looks in groups(seen.of(RunawaySeen), lambda look: (look.rank, look.site, look.way)):
        stepped = {step.optimizer for step in seen.of(StepSeen) if step.rank == looks[0].rank}
        least = min(looks, key=lambda look: look.loss - look.lowest)
        if not is_meant_to_rise(seen, looks[0].rank):
            yield replace(least, looks=len({look.step for look in looks}), optimizers=len(stepped))


def settlings(seen: Sightings) -> Iterator[SettledSeen]:
    """The look at which the answers matter most."""
    for looks in groups(seen.of(SettledSeen), lambda look: (look.rank, look.site)):
        stepped = {step.optimizer for step in seen.of(StepSeen) if step.rank == looks[0].rank}
        most = max(looks, key=lambda look: look.rise / max(look.first - look.lowest, TINY))
        yield replace(most, looks=len({look.step for look in looks}), optimizers=len(stepped))


def volumes(seen: Sightings) -> Iterator[VolumeSeen]:
    """The look at which the loss rises least with it."""
    for looks in groups(seen.of(VolumeSeen), lambda look: (look.rank, look.site)):
        least = min(looks, key=lambda look: look.pull)
        yield replace(least, looks=len({look.step for look in looks}))


def silent_terms(seen: Sightings) -> Iterator[TermSeen]:
    """The last look at each term without gradient."""
    for terms in groups(seen.of(TermSeen), lambda term: (term.rank, term.site, term.added)):
        yield replace(terms[-1], times=len({term.step for term in terms}), looks=_tapes(seen, terms[-1].rank))


def cancellings(seen: Sightings) -> Iterator[CancelSeen]:
    """The look at which errors cancel the least."""
    for looks in groups(seen.of(CancelSeen), lambda look: (look.rank, look.site, look.axis)):
        least = max(looks, key=lambda look: look.moved / look.shifted if look.shifted > 0 else 0.0)
        yield replace(least, looks=len({look.step for look in looks}))


def mute_answers(seen: Sightings) -> Iterator[MuteSeen]:
    """The last look at each answer that counts for nothing."""
    for looks in groups(seen.of(MuteSeen), lambda look: (look.rank, look.site, look.value)):
        yield replace(looks[-1], times=len({look.step for look in looks}), looks=_tapes(seen, looks[-1].rank))


def _tapes(seen: Sightings, rank: int) -> int:
    """Steps at which the tape of this rank was looked at."""
    return len({tape.step for tape in seen.of(TapeSeen) if tape.rank == rank})


def penalties(seen: Sightings) -> Iterator[PenaltySeen]:
    """The look at which it pulls least beside the data, of those at which something came through them; where nothing
    does, it is cut off."""
    told = [look for look in seen.of(PenaltySeen) if look.through > 0]
    for looks in groups(told, lambda look: (look.rank, look.site, look.on)):
        yield replace(min(looks, key=lambda look: look.own / look.through), looks=len({look.step for look in looks}))


def pullings(seen: Sightings) -> Iterator[Pulling]:
    for backward in groups(seen.of(PullSeen), lambda look: (look.rank, look.backward)):
        rank = backward[0].rank
        stepped = {step.optimizer for step in seen.of(StepSeen) if step.rank == rank}
        pushed = [one.along for look in seen.of(Movement) if look.rank == rank for one in look.tensors]
        summed = any(look.rank == rank and look.axis == 0 for look in seen.of(CancelSeen))
        for looks in groups(backward, lambda look: (look.kind, look.operation, look.site)):
            last = looks[-1]
            yield Pulling(
                rank=last.rank,
                kind=last.kind,
                meeting=Place(operation=last.operation, site=last.site),
                site=last.backward,
                looks=len(looks),
                away=sum(_lower(look.contrary, look.right) for look in looks),
                towards=sum(_lower(look.right, look.contrary) for look in backward if look not in looks),
                step=last.step,
                right=last.right,
                contrary=last.contrary,
                optimizers=len(stepped),
                share=max((look.share for look in looks if look.share is not None and not summed), default=None),
                acting=any(look.kind == LIKELIHOODS for look in backward),
                climbs=bool(pushed) and median(pushed) > 0,
                larger=min((look.larger for look in looks if look.larger is not None), default=1.0),
                pace=largest_pace(seen, rank, last.step),
            )


def _lower(one: float, other: float) -> bool:
    return other - one > ROUNDING * max(abs(one), abs(other))


def alike(seen: Sightings) -> Iterator[Alike]:
    """Only where it lasts: the first looks may find layers that begin at zero."""
    for tapes in groups(seen.of(TapeSeen), lambda tape: (tape.rank, tape.site)):
        looks = groups(tapes, lambda tape: tape.step)
        found = [(parts[-1], _lost(parts)) for parts in looks]
        lasting = [(tape, lost) for tape, lost in found if tape.step >= SETTLED_STEPS]
        if len(found) < 2 or not lasting or any(lost is None for _, lost in lasting):
            continue
        tape, lost = lasting[-1]
        assert lost is not None
        yield Alike(
            rank=tape.rank,
            examples=tape.batch,
            fed=tape.fed,
            looks=len(lasting),
            step=tape.step,
            last_good=None if lost.last_good is None else _place(tape, lost.last_good),
            first_bad=_place(tape, lost.first_bad),
            left=_left(lost.last_good),
        )


def _left(row: TapeRow | None) -> float | None:
    return None if row is None or row.spread is None or not row.size > 0 else row.spread / row.size


def altered(seen: Sightings) -> Iterator[AlteredSeen]:
    for looks in groups(seen.of(AlteredSeen), lambda look: (look.rank, look.by, look.site)):
        medians = {name: median(getattr(look, name) for look in looks) for name in ALTERED}
        kept = [look.kept for look in looks]
        varies = max(kept) / (min(kept) or math.inf)
        yield replace(looks[-1], times=len(looks), varies=varies, **medians)


def levellings(seen: Sightings) -> Iterator[Levelling]:
    signs = [told[-1].status for told in groups(seen.of(LearningSign), lambda one: (one.rank, one.meeting))]
    for looks in groups(seen.of(LevelledSeen), lambda look: (look.rank, look.site, look.operation, look.of)):
        last = looks[-1]
        yield Levelling(
            rank=last.rank,
            call=Place(operation=last.operation, site=last.site),
            looks=len({look.step for look in looks}),
            step=last.step,
            before=median(look.before for look in looks),
            after=median(look.after for look in looks),
            of=last.of,
            merged=median(look.merged for look in looks),
            lost=median(look.lost for look in looks),
            wrapped=median(look.wrapped for look in looks),
            cast=last.cast,
            gone=min(look.gone for look in looks),
            ignored=last.ignored,
            rounded=median(look.rounded for look in looks),
            unlearnt=NO_SIGN in signs and CERTIFIED not in signs,
        )


def two_comparisons(seen: Sightings) -> Iterator[TwoComparisons]:
    for ways in groups(seen.of(ComparisonSeen), lambda way: (way.rank, way.layer)):
        training, evaluation = ([way for way in ways if way.training is trains] for trains in (True, False))
        if training and evaluation:
            yield TwoComparisons(
                rank=ways[0].rank,
                training=Place(operation=training[-1].into, site=training[-1].site),
                evaluation=Place(operation=evaluation[-1].into, site=evaluation[-1].site),
                trained=_only(training, evaluation),
                evaluated=_only(evaluation, training),
                looks=len({way.step for way in training}),
                step=evaluation[-1].step,
            )


def _only(some: list[ComparisonSeen], others: list[ComparisonSeen]) -> tuple[str, ...]:
    """Operations on all of the ways, and on none of the others."""
    everywhere = set.intersection(*(set(way.operations) for way in some))
    return tuple(sorted(everywhere - {name for way in others for name in way.operations}))


def fadings(seen: Sightings) -> Iterator[Fading]:
    for looks in _looks(seen):
        found = [(parts[-1], told) for parts in looks if (told := narrowest(*_rows(parts))) is not None]
        if len(found) == len(looks):
            tape, told = max(found, key=lambda pair: pair[1].spread)
            learnt = any(sign.rank == tape.rank and sign.status == CERTIFIED for sign in seen.of(LearningSign))
            guesses = [guess for guess in seen.of(GuessSeen) if (guess.rank, guess.site) == (tape.rank, tape.site)]
            behind = bool(guesses) and guesses[-1].loss > guesses[-1].guess
            place = _place(tape, told.row)
            yield Fading(**_told(tape, told, len(looks)), spread=told.spread, lost=place, learnt=learnt and not behind)


def swellings(seen: Sightings) -> Iterator[Swelling]:
    for looks in _looks(seen):
        found = [(parts[-1], told) for parts in looks if (told := largest(*_rows(parts))) is not None]
        if len(found) == len(looks):
            tape, told = min(found, key=lambda pair: pair[1].size)
            yield Swelling(**_told(tape, told, len(looks)), size=told.size, grown=_place(tape, told.row))
        squeezed = [(parts[-1], *most) for parts in looks if (most := squashed(_rows(parts)[0])) is not None]
        if len(squeezed) == len(looks):
            tape, told, into = min(squeezed, key=lambda look: look[1].size)
            swelling = Swelling(**_told(tape, told, len(looks)), size=told.size, grown=_place(tape, told.row))
            yield replace(swelling, into=into)


def narrowings(seen: Sightings) -> Iterator[Narrowing]:
    for looks in _looks(seen):
        parts = looks[-1]
        found = waist(*_rows(parts))
        if found is not None:
            place, numbers, outputs = _place(parts[-1], found.row), int(found.numbers), int(found.outputs)
            yield Narrowing(rank=parts[-1].rank, at=place, numbers=numbers, outputs=outputs)


def guesses(seen: Sightings) -> Iterator[Guessed]:
    """One for each backward whose tape was read as well."""
    tapes = {(parts[-1].rank, parts[-1].site): parts for looks in _looks(seen) for parts in looks[:1]}
    for looks in groups(seen.of(GuessSeen), lambda look: (look.rank, look.site)):
        first, last = looks[0], looks[-1]
        parts = tapes.get((last.rank, last.site))
        found = steepest(*_rows(parts)) if parts else None
        if parts is None or found is None:
            continue
        yield Guessed(
            rank=last.rank,
            site=last.site,
            first=first.loss,
            first_guess=first.guess,
            tenth=first.tenth,
            step=last.step,
            loss=last.loss,
            guess=last.guess,
            grown=_place(parts[-1], found.row),
            before=found.before,
            size=found.row.size,
            entry=found.entry,
            trained=found.row.entry,
            last=found.last,
        )


def _looks(seen: Sightings) -> Iterator[list[list[TapeSeen]]]:
    """For each backward its looks, each in parts, once layers that begin at zero have moved."""
    for tapes in groups(seen.of(TapeSeen), lambda tape: (tape.rank, tape.site)):
        looks = groups([tape for tape in tapes if tape.step >= SETTLED_STEPS], lambda tape: tape.step)
        if looks:
            yield looks


def _rows(parts: list[TapeSeen]) -> tuple[dict[int, TapeRow], tuple[int, ...]]:
    return {row.number: row for part in parts for row in part.rows}, parts[-1].predictions


def _told(tape: TapeSeen, found: Narrowest | Largest, looks: int) -> dict[str, Any]:
    return {"rank": tape.rank, "before": found.before, "entry": found.entry, "looks": looks, "step": tape.step}


def _lost(parts: list[TapeSeen]) -> Loss | None:
    return examples_lost(*_rows(parts), parts[-1].fed)


def _place(tape: TapeSeen, row: TapeRow) -> Place:
    site = None if row.file is None else Site(file=tape.files[row.file], line=row.line)
    return Place(operation=row.operation, site=site)
