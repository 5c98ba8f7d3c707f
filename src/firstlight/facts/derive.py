"""From what was observed to what is judged. Pure: the same sightings give the same facts."""

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from firstlight.facts.dealings import bootstrapped, discounted, returning, rewarded, weighed
from firstlight.facts.flows import (
    alike,
    altered,
    cancellings,
    crossings,
    fadings,
    floors,
    guesses,
    levellings,
    mute_answers,
    narrowings,
    penalties,
    predicted_twice,
    pullings,
    reaches,
    runaways,
    settlings,
    silent_terms,
    swellings,
    two_comparisons,
    volumes,
    wrong_axes,
)
from firstlight.facts.learning import (
    collations,
    feedings,
    first_bads,
    learning_signs,
    loss_curves,
    norm_statistics,
    passes,
    unlearnt,
    worker_streams,
)
from firstlight.facts.losses import loss_roots, loss_sites, loss_terms, shape_clashes
from firstlight.facts.motion import handlings, motions, precisions, units
from firstlight.facts.ranks import distributed_orders, ranks
from firstlight.facts.relations import conflicts, lags, levelled_in_datasets, relations
from firstlight.facts.sightings import Sightings, groups
from firstlight.facts.stepping import (
    accumulations,
    clip_orders,
    graph_sizes,
    modes,
    rates,
    rebuildings,
    step_orders,
    steppings,
)
from firstlight.records import feed, restored
from firstlight.records.averages import Averaged
from firstlight.records.carried import ScoreCarried
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.declared import DeclaredFact, Logged
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.failing import Failing
from firstlight.records.inner import EntropySeen, Erased
from firstlight.records.kept import GraphsKept
from firstlight.records.lived_on import HeldBack
from firstlight.records.pairs import PairsPulled
from firstlight.records.program import CodesSeen, ColumnsDropped, FitSeen, Waiting, Wrapped
from firstlight.records.randomness import RandomAgain
from firstlight.records.rehearsal import ScheduleAhead
from firstlight.records.rounded import RoundedAway
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.sighting import Sighting
from firstlight.records.standing_by import GroupFrozen
from firstlight.records.stored import KeptReread
from firstlight.records.stuck import StuckAtZero
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import Behaviour, CustomGradient, Dependence
from firstlight.records.training import Attention, EvaluationSeen, KeysMasked


def derive(records: Iterable[Logged]) -> list[Any]:
    """What probes of a declared experiment found is a fact already."""
    seen = Sightings(records)
    return [*(fact for reducer in REDUCERS for fact in reducer(seen)), *seen.all_of(DeclaredFact)]


def evaluations(seen: Sightings) -> Iterator[EvaluationSeen]:
    """The last count of each model, with what a rehearsal saw of its answers."""
    noisy = [one for one in seen.of(AnswersScored) if one.noisy]
    for counts in groups(seen.of(EvaluationSeen), lambda e: (e.rank, e.model)):
        one = counts[-1]
        own = [line for line in noisy if line.model == one.name]
        last = [line for line in own if line.noisy_at_end]
        yield msgspec.structs.replace(
            one,
            scored=sum(line.noisy for line in own),
            scored_at_end=sum(line.noisy_at_end for line in last),
            scored_site=last[0].site if last else None,
        )


def feeds(seen: Sightings) -> Iterator[feed.FeedSeen]:
    """The last count of each model.

    Where the loaders of a declared experiment were read by themselves, its training adds only what the loss makes of
    padding: the rest would be told twice.
    """
    found = [counts[-1] for counts in groups(seen.of(feed.FeedSeen), lambda f: (f.rank, f.model))]
    read = any(one.model == feed.NOT_CALLED for one in found)
    for one in found:
        told_twice = read and one.model != feed.NOT_CALLED
        yield msgspec.structs.replace(one, inputs=(), overlap=feed.Overlap(), echo=_padding(one)) if told_twice else one


def scalings(seen: Sightings) -> Iterator[feed.SplitsScaled]:
    """How splits were scaled, and whether they differ: by the answers too, from which no scaler takes it away."""
    lines = list(relations(seen))
    for one in feeds(seen):
        parted = (line.seen.transfer.parted for line in lines if line.rank == one.rank)
        yield feed.SplitsScaled(rank=one.rank, feed=one, parted=max(parted, default=0.0))


def _padding(seen: feed.FeedSeen) -> feed.Echo:
    echo = seen.echo
    return feed.Echo(varied=echo.varied, padded=echo.padded, pad=echo.pad, pad_share=echo.pad_share)


def dependences(seen: Sightings) -> Iterator[Dependence]:
    """Rows that are padded to the same width in every batch are never padded further."""
    varies = any(one.widths > 1 for one in seen.of(feed.FeedSeen))
    yield from (one for one in seen.of(Dependence) if one.kind != "width" or varies)


FIRST, LAST, EVERY = 0, -1, None


@dataclass(frozen=True)
class Accounts:
    """Of a kind of sighting that is judged as it is: which account counts among those of one rank alike in `by`."""

    kind: type[Sighting]
    by: tuple[str, ...] = ()
    counts: int | None = LAST
    longest: str = ""
    """The measure by which the longest account counts instead."""

    @property
    def __name__(self) -> str:
        return self.kind.__name__

    def __call__(self, seen: Sightings) -> Iterator[Any]:
        for told in groups(seen.of(self.kind), lambda one: (one.rank, *(getattr(one, name) for name in self.by))):
            if self.longest:
                yield max(told, key=operator.attrgetter(self.longest))
            else:
                yield from told if self.counts is None else [told[self.counts]]


Reducer = Callable[[Sightings], Iterable[Any]]
REDUCERS: tuple[Reducer, ...] = (
    loss_sites,
    shape_clashes,
    step_orders,
    steppings,
    loss_roots,
    modes,
    loss_curves,
    first_bads,
    clip_orders,
    rates,
    rebuildings,
    accumulations,
    feedings,
    passes,
    worker_streams,
    collations,
    graph_sizes,
    Accounts(Census, ("model",)),
    evaluations,
    feeds,
    scalings,
    Accounts(Attention, ("site",), FIRST),
    Accounts(KeysMasked, ("site",), FIRST),
    dependences,
    Accounts(Behaviour, counts=EVERY),
    Accounts(Symmetry, counts=EVERY),
    Accounts(CustomGradient, counts=EVERY),
    Accounts(ColumnsDropped, counts=EVERY),
    Accounts(CodesSeen, ("given", "column")),
    Accounts(FitSeen, ("number",)),
    Accounts(KeptReread, counts=EVERY),
    motions,
    handlings,
    precisions,
    units,
    Accounts(EntropySeen, ("name", "site")),
    Accounts(Erased, ("module",)),
    norm_statistics,
    Accounts(Wrapped, ("module",)),
    loss_terms,
    ranks,
    distributed_orders,
    Accounts(restored.Restored, ("site",)),
    Accounts(restored.Resumption, counts=EVERY),
    Accounts(restored.Reused, ("site",)),
    Accounts(Selection, ("kind", "site", "metric"), longest="times"),
    Accounts(AnswersScored, ("site", "about"), longest="times"),
    Accounts(CopySeen, ("model", "name", "site"), longest="looks"),
    Accounts(RandomAgain, ("model", "site"), FIRST),
    Accounts(Averaged, ("site", "what"), FIRST),
    Accounts(ScoreCarried, ("site", "of_examples"), FIRST),
    Accounts(ScheduleAhead, ("schedule", "site"), FIRST),
    Accounts(GraphsKept, ("site",), FIRST),
    Accounts(HeldBack, ("model",), longest="exchanged"),
    Accounts(GroupFrozen, ("optimizer", "site"), FIRST),
    Accounts(RoundedAway, ("site",), FIRST),
    Accounts(StuckAtZero, ("optimizer", "site"), FIRST),
    Accounts(EvaluationLeaves, ("model", "site"), FIRST),
    Accounts(Failing, ("module",)),
    Accounts(PairsPulled, ("site",)),
    Accounts(Waiting),
    learning_signs,
    unlearnt,
    guesses,
    reaches,
    floors,
    predicted_twice,
    runaways,
    wrong_axes,
    crossings,
    settlings,
    volumes,
    silent_terms,
    cancellings,
    mute_answers,
    narrowings,
    penalties,
    bootstrapped,
    discounted,
    rewarded,
    weighed,
    returning,
    pullings,
    altered,
    two_comparisons,
    fadings,
    levellings,
    levelled_in_datasets,
    swellings,
    alike,
    relations,
    lags,
    conflicts,
)
