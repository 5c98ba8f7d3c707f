"""From what was observed to what is judged. Pure: the same sightings give the same facts."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from firstlight.facts.dealings import bootstrapped, discounted, rewarded
from firstlight.facts.flows import (
    alike,
    altered,
    cancellings,
    fadings,
    guesses,
    levellings,
    mute_answers,
    penalties,
    pullings,
    reaches,
    silent_terms,
    swellings,
    two_comparisons,
)
from firstlight.facts.learning import collations, feedings, first_bads, learning_signs, loss_curves, worker_streams
from firstlight.facts.losses import loss_roots, loss_sites, loss_terms, shape_clashes
from firstlight.facts.motion import entropies, erased, handlings, motions, norm_statistics, precisions, units, wrapped
from firstlight.facts.ranks import distributed_orders, ranks
from firstlight.facts.relations import conflicts, lags, relations
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
from firstlight.records.census import Census
from firstlight.records.copies import CopySeen
from firstlight.records.declared import DeclaredFact, Logged
from firstlight.records.evaluated import EvaluationLeaves
from firstlight.records.failing import Failing
from firstlight.records.kept import GraphsKept
from firstlight.records.program import ColumnsDropped, Waiting
from firstlight.records.randomness import RandomAgain
from firstlight.records.scoring import AnswersScored
from firstlight.records.selection import Selection
from firstlight.records.symmetry import Symmetry
from firstlight.records.timelines import Behaviour, CustomGradient, Dependence
from firstlight.records.training import Attention, EvaluationSeen, KeysMasked


def derive(records: Iterable[Logged]) -> list[Any]:
    """What probes of a declared experiment found is a fact already."""
    seen = Sightings(records)
    return [*(fact for reducer in REDUCERS for fact in reducer(seen)), *seen.all_of(DeclaredFact)]


def censuses(seen: Sightings) -> Iterator[Census]:
    """The last count of each model."""
    for counts in groups(seen.of(Census), lambda c: (c.rank, c.model)):
        yield counts[-1]


def evaluations(seen: Sightings) -> Iterator[EvaluationSeen]:
    """The last count of each model, with what a rehearsal saw of its answers."""
    noisy = [one for one in seen.of(AnswersScored) if one.noisy]
    for counts in groups(seen.of(EvaluationSeen), lambda e: (e.rank, e.model)):
        one = counts[-1]
        yield msgspec.structs.replace(one, scored=sum(line.noisy for line in noisy if line.model == one.name))


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


def _padding(seen: feed.FeedSeen) -> feed.Echo:
    echo = seen.echo
    return feed.Echo(varied=echo.varied, padded=echo.padded, pad=echo.pad, pad_share=echo.pad_share)


def attentions(seen: Sightings) -> Iterator[Attention]:
    for calls in groups(seen.of(Attention), lambda a: (a.rank, a.site)):
        yield calls[0]


def masked_keys(seen: Sightings) -> Iterator[KeysMasked]:
    for calls in groups(seen.of(KeysMasked), lambda a: (a.rank, a.site)):
        yield calls[0]


def dependences(seen: Sightings) -> Iterator[Dependence]:
    yield from seen.of(Dependence)


def behaviours(seen: Sightings) -> Iterator[Behaviour]:
    yield from seen.of(Behaviour)


def symmetries(seen: Sightings) -> Iterator[Symmetry]:
    yield from seen.of(Symmetry)


def columns_dropped(seen: Sightings) -> Iterator[ColumnsDropped]:
    yield from seen.of(ColumnsDropped)


def custom_gradients(seen: Sightings) -> Iterator[CustomGradient]:
    yield from seen.of(CustomGradient)


def restorations(seen: Sightings) -> Iterator[restored.Restored]:
    """The last on each line."""
    for loads in groups(seen.of(restored.Restored), lambda r: (r.rank, r.site)):
        yield loads[-1]


def reuses(seen: Sightings) -> Iterator[restored.Reused]:
    """The last on each line."""
    for loads in groups(seen.of(restored.Reused), lambda r: (r.rank, r.site)):
        yield loads[-1]


def failings(seen: Sightings) -> Iterator[Failing]:
    """The last count of each class."""
    for counts in groups(seen.of(Failing), lambda f: (f.rank, f.module)):
        yield counts[-1]


def waitings(seen: Sightings) -> Iterator[Waiting]:
    """The last count."""
    for counts in groups(seen.of(Waiting), lambda w: w.rank):
        yield counts[-1]


def resumptions(seen: Sightings) -> Iterator[restored.Resumption]:
    yield from seen.of(restored.Resumption)


def selections(seen: Sightings) -> Iterator[Selection]:
    """The longest account of each."""
    for told in groups(seen.of(Selection), lambda s: (s.rank, s.kind, s.site, s.metric)):
        yield max(told, key=lambda s: s.times)


def scorings(seen: Sightings) -> Iterator[AnswersScored]:
    """The longest account of each."""
    for told in groups(seen.of(AnswersScored), lambda s: (s.rank, s.site, s.wanted is None, s.moved > 0)):
        yield max(told, key=lambda s: s.times)


def copies(seen: Sightings) -> Iterator[CopySeen]:
    """The longest account of each."""
    for told in groups(seen.of(CopySeen), lambda c: (c.rank, c.model, c.name, c.site)):
        yield max(told, key=lambda c: c.looks)


def random_again(seen: Sightings) -> Iterator[RandomAgain]:
    """The first account of each."""
    for told in groups(seen.of(RandomAgain), lambda r: (r.rank, r.model, r.site)):
        yield told[0]


def averages(seen: Sightings) -> Iterator[Averaged]:
    """The first account of each sum on each line."""
    for told in groups(seen.of(Averaged), lambda a: (a.rank, a.site, a.what)):
        yield told[0]


def kept_graphs(seen: Sightings) -> Iterator[GraphsKept]:
    """The first account of each line."""
    for told in groups(seen.of(GraphsKept), lambda k: (k.rank, k.site)):
        yield told[0]


def evaluations_leave(seen: Sightings) -> Iterator[EvaluationLeaves]:
    """The first account of each model."""
    for told in groups(seen.of(EvaluationLeaves), lambda e: (e.rank, e.model, e.site)):
        yield told[0]


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
    worker_streams,
    collations,
    graph_sizes,
    censuses,
    evaluations,
    feeds,
    attentions,
    masked_keys,
    dependences,
    behaviours,
    symmetries,
    custom_gradients,
    columns_dropped,
    motions,
    handlings,
    precisions,
    units,
    entropies,
    erased,
    norm_statistics,
    wrapped,
    loss_terms,
    ranks,
    distributed_orders,
    restorations,
    resumptions,
    reuses,
    selections,
    scorings,
    copies,
    random_again,
    averages,
    kept_graphs,
    evaluations_leave,
    failings,
    waitings,
    learning_signs,
    guesses,
    reaches,
    silent_terms,
    cancellings,
    mute_answers,
    penalties,
    bootstrapped,
    discounted,
    rewarded,
    pullings,
    altered,
    two_comparisons,
    fadings,
    levellings,
    swellings,
    alike,
    relations,
    lags,
    conflicts,
)
