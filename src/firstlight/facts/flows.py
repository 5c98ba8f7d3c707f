"""What the looks at the tape add up to."""

from collections.abc import Iterator

from firstlight.facts.sightings import Sightings, groups
from firstlight.flows.values import Loss, examples_lost
from firstlight.records.flows import Alike, Place, Reach, ReachSeen, SilentTerm, TapeRow, TapeSeen, TermSeen
from firstlight.records.places import Site

SETTLED_STEPS = 8
"""Layers that begin at zero have moved by then."""


def reaches(seen: Sightings) -> Iterator[Reach]:
    for looks in groups(seen.of(ReachSeen), lambda look: (look.rank, look.site, look.operation)):
        last = looks[-1]
        yield Reach(
            rank=last.rank,
            activation=Place(operation=last.operation, site=last.site),
            meeting=Place(operation=last.into, site=last.meeting),
            looks=len(looks),
            step=last.step,
            loss=last.loss,
            free=last.free,
            bound=last.bound,
        )


def silent_terms(seen: Sightings) -> Iterator[SilentTerm]:
    looked = {(tape.rank, tape.step) for tape in seen.of(TapeSeen)}
    for terms in groups(seen.of(TermSeen), lambda term: (term.rank, term.site, term.added)):
        last = terms[-1]
        yield SilentTerm(
            rank=last.rank,
            cut=Place(operation=last.operation, site=last.site),
            added=last.added,
            times=len({term.step for term in terms}),
            looks=sum(rank == last.rank for rank, _ in looked),
            step=last.step,
            value=last.value,
            loss=last.loss,
        )


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
        )


def _lost(parts: list[TapeSeen]) -> Loss | None:
    rows = {row.number: row for part in parts for row in part.rows}
    return examples_lost(rows, parts[-1].predictions, parts[-1].fed)


def _place(tape: TapeSeen, row: TapeRow) -> Place:
    site = None if row.file is None else Site(file=tape.files[row.file], line=row.line)
    return Place(operation=row.operation, site=site)
