"""What a verdict rests on, and what it does not say."""

from collections.abc import Iterator

import msgspec

from firstlight.experiments.engine import NURSERY, changes_nothing, fates, opened
from firstlight.experiments.engines.auto import TIMELINES
from firstlight.judge.evidence import Judged
from firstlight.observe.watch import Watched
from firstlight.plugins import problems
from firstlight.records.containment import Contained
from firstlight.records.contrast import Contrast
from firstlight.records.program import Ending, Unseen
from firstlight.records.report import Coverage
from firstlight.records.timelines import TimelineEnded
from firstlight.store.run_directory import shown

ENDED = {
    "steps": "the step budget was spent",
    "time": "the time budget was spent",
    "exit": "the script finished",
    "finished": "the script finished",
    "stopped": "the time budget was spent",
    "silent": "no step came in time",
    "crashed": "the script crashed",
    "killed": "the script was killed",
    "refused": "a write was refused",
    "faulted": "a fault in firstlight ended it",
}


def coverage_of(watched: Watched, known: Judged) -> Coverage:
    endings = watched.of(Ending)
    nursery = opened(watched)
    held = tuple(dict.fromkeys(shown(path) for ending in endings for path in ending.held_back))
    return Coverage(
        steps=watched.steps,
        seconds=round(watched.seconds, 3),
        ended=ENDED[endings[0].reason if endings and watched.fault is None else watched.outcome().ended],
        fault=watched.fault,
        held_back=held,
        held_back_count=max(len(held), *(ending.held_back_count for ending in endings), 0),
        floor=str(watched.contained.floor) if watched.contained.floor is not None else None,
        started=watched.contained.started,
        reached=watched.contained.reached,
        experiments=tuple(sorted(set(watched.timelines) - {NURSERY})),
        engine=nursery.engine if nursery is not None else None,
        engine_reason=nursery.reason if nursery is not None else None,
        suppressed=known.allowed,
        limits=(
            f"only the first {watched.steps} steps were observed; later ones, and how well it generalizes, were not"
            if watched.steps
            else "no training was observed: how it learns, and how well it generalizes, is not known",
            *_open(watched.contained),
            *_unseen(watched),
            *_unmade(watched, known),
            *problems(),
        ),
    )


def _open(contained: Contained) -> Iterator[str]:
    """By which the script may have changed something for good."""
    floor = contained.floor
    if floor is not None and not (floor.view or floor.landlock):
        yield "floor: none; what native code and child programs wrote was not held back, only what Python wrote"
    if contained.reached:
        yield f"the network was open: {', '.join(contained.reached)}"


def declared_coverage(watched: Watched, known: Judged) -> Coverage:
    """Of an experiment: there is no script that could have ended."""
    coverage = coverage_of(watched, known)
    if watched.of(Ending):
        return coverage
    return msgspec.structs.replace(coverage, ended="the probes are done" if watched.steps else "nothing was trained")


def _unseen(watched: Watched) -> Iterator[str]:
    """That the program could not be forked is no loss once another engine took over."""
    made = opened(watched) is not None
    found = [record for record in watched.of(Unseen) if not (made and record.tap == TIMELINES)]
    yield from dict.fromkeys(f"not observed: {record.tap}: {record.reason}" for record in found)


def _unmade(watched: Watched, known: Judged) -> Iterator[str]:
    """Experiments that tell less than they might have."""
    ended = fates(watched)
    if missing := [order.name for order in known.orders if order.name not in ended]:
        yield f"not finished in the time given: {', '.join(missing)}"
    if died := [fate for fate in ended.values() if fate.exit_code != 0]:
        yield f"experiments that did not finish: {', '.join(map(_died, died))}"
    if idle := [order.name for order in known.orders if changes_nothing(watched, order.interventions)]:
        yield f"no torch optimizer steps, so copies in which one is changed say nothing: {', '.join(idle)}"
    contrast = next((fact for fact in known.facts if isinstance(fact, Contrast)), None)
    if contrast is not None and not all(pair.paired for pair in contrast.pairs):
        yield (
            "the experiments started from a different first loss than the program, so they are not exact pairs; "
            "only large differences count. Seed every random generator in the script to pair them"
        )


def _died(fate: TimelineEnded) -> str:
    if fate.exit_code is None:
        return f"{fate.name} ({fate.message or 'took too long'})"
    return f"{fate.name} (exit code {fate.exit_code}{f': {fate.message}' if fate.message else ''})"
