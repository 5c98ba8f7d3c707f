"""What the attempts at a rehearsal amount to."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from firstlight.experiments.plan import RESUMED
from firstlight.experiments.rehearsal import ATTEMPTS, alike, attempts_of, may_be_ours
from firstlight.observe.traceback import NOBODY_ANSWERS
from firstlight.observe.watch import Watched
from firstlight.records.rehearsal import FileWritten, LoopSeen, Rehearsal, RehearsalEnded, ScheduleBreaks, Shortened
from firstlight.records.resumed import ResumeTried, StateKept, StateResumed, TrainingState

DIGITS = re.compile(r"\d+")
LEAST_ALIKE = 2
"""Files whose names differ in their numbers only, from which on one comes with every so many rounds."""


def rehearsal_of(watched: Watched) -> Rehearsal | None:
    """An attempt that reached the end clears the program of what an earlier one ran into."""
    attempts = [(ended, _told(records)) for ended, records in attempts_of(watched)]
    if not attempts:
        return None
    fates = [ended for ended, _ in attempts]
    ended, seen = next((one for one in attempts if _reached(*one)), attempts[0])
    main = max(seen, key=lambda one: (len(one.loops), one.step), default=Shortened(step=0, ended="exit", tracked={}))
    asks = ended.message == NOBODY_ANSWERS
    crashed = bool(ended.exit_code) and not asks
    return Rehearsal(
        reached_end=_reached(ended, seen),
        crashed=crashed,
        own=crashed and main.step > 0 and _is_own(fates),
        asks=asks,
        message=ended.message,
        site=ended.site or next((one.site for one in seen if one.site is not None), None),
        trace=ended.trace,
        seconds=ended.seconds,
        steps=main.step,
        epochs=main.epochs,
        evaluations=max((one.evaluations for one in seen), default=0),
        checkpoints=sum(one.checkpoints for one in seen),
        breaks=tuple(_breaks(watched)),
        files=main.files,
        written=main.written,
        full_seconds=main.full_seconds,
        planned_steps=main.planned_steps,
        full_bytes=full_bytes(main.files, main.written, main.loops),
        peak_bytes=max((one.peak_bytes for one in seen), default=0),
        curves={**ended.printed, **main.tracked},
    )


def farthest_first(watched: Watched) -> list[list[Any]]:
    """What the attempts saw: those that reached the end, and after them the others."""
    attempts = [(_reached(ended, _told(records)), records) for ended, records in attempts_of(watched)]
    return [records for _, records in sorted(attempts, key=lambda one: not one[0])]


def resume_of(watched: Watched) -> Iterator[ResumeTried]:
    """Where the program was started again, and read a file that it had written."""
    through = [one for one in watched.timelines.get("rehearsal", ()) if isinstance(one, StateKept)]
    again = watched.timelines.get(RESUMED, ())
    ends = [one for one in again if isinstance(one, RehearsalEnded)]
    begun = [one for one in again if isinstance(one, StateResumed)]
    if not through or not ends:
        return
    kept = through[0]
    if begun and begun[0].site is not None:
        was, now = kept.state, begun[0].state
        lost = tuple(name for name, differs in _differences(was, now, kept.holds_optimizer) if differs)
        yield ResumeTried(site=begun[0].site, saved=kept.site, lost=lost, was=was.round, now=now.round)
    elif not begun and ends[0].exit_code and not may_be_ours(ends[0]) and _loads(kept, ends[0]):
        crash, site = ends[0].message, ends[0].site
        yield ResumeTried(site=site, saved=kept.site, lost=(), was=kept.state.round, now=None, crash=crash)


def _differences(was: TrainingState, now: TrainingState, whole: bool) -> Iterator[tuple[str, bool]]:
    """A file without the state of an optimizer is one to begin with; that its rounds are counted anew is meant."""
    yield "weights", was.weights != now.weights
    yield "optimizer", whole and was.optimizer != now.optimizer
    yield "rate", whole and was.rates != now.rates
    yield "round", was.round is not None and now.round is not None and now.round < was.round
    yield "random", was.random != now.random


def _loads(kept: StateKept, crash: RehearsalEnded) -> bool:
    """It raised on or after a line that loads, in the function that does: a line that the first run never reached."""
    return any(site.file == load.file and site.line >= load.line for site in crash.trace for load in kept.loads)


def _told(records: Iterable[Any]) -> list[Shortened]:
    return [record for record in records if isinstance(record, Shortened)]


def _breaks(watched: Watched) -> Iterator[ScheduleBreaks]:
    """Those of the first attempt: another one would tell the same of each."""
    for _, records in islice(attempts_of(watched), 1):
        yield from (record for record in records if isinstance(record, ScheduleBreaks))


def _reached(ended: RehearsalEnded, seen: list[Shortened]) -> bool:
    return ended.exit_code == 0 and all(one.ended == "exit" for one in seen)


def _is_own(fates: list[RehearsalEnded]) -> bool:
    """Every attempt ended alike, and either the error has nothing to do with rounds or nothing was shortened."""
    first = fates[0]
    if len(fates) == 1 or not all(alike(one, first) for one in fates):
        return False
    return not may_be_ours(first) or len(fates) == len(ATTEMPTS)


def full_bytes(files: tuple[FileWritten, ...], written: int, loops: tuple[LoopSeen, ...]) -> int | None:
    """Files that come round by round grow in number with the rounds of the outermost loop; the others are as they are.

    None where that loop does not say how many rounds it makes.
    """
    groups: dict[str, list[int]] = {}
    for file in files:
        groups.setdefault(DIGITS.sub("#", file.path), []).append(file.size)
    many = [sum(sizes) for name, sizes in groups.items() if len(sizes) >= LEAST_ALIKE]
    if not many:
        return written
    outer = max((loop for loop in loops if loop.rounds), key=lambda loop: loop.outer, default=None)
    if outer is None or outer.planned is None:
        return None
    return round(written + sum(many) * (outer.planned / outer.rounds - 1))
