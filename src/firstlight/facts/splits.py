"""What a program evaluates on, where only its rehearsal came to it, beside what the program itself trained on. Pure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from firstlight.facts.sightings import Sightings
from firstlight.records.declared import Logged
from firstlight.records.feed import NO_PART, ExamplesMet, Fed, FeedSeen, Overlap, PartEvaluated

PURE = 0.8
"""Of a batch; one of which so much was trained on is the training set itself, looked at again, or nearly."""
LEAST_BATCH = 4


def with_unread(facts: Iterable[Any], copy: Iterable[Logged]) -> list[Any]:
    """The feeds of models that were never evaluated, completed by the loaders that a copy of the program read."""
    read = {one.model: one for one in Sightings(copy).of(FeedSeen)}
    return [
        replace(fact, inputs=_completed(fact.inputs, there.inputs), ids=there.ids, overlap=there.overlap)
        if isinstance(fact, FeedSeen) and (there := read.get(fact.model)) is not None and fact.eval_site is None
        else fact
        for fact in facts
    ]


def with_rehearsed(
    facts: Iterable[Any], program: Iterable[Logged], rehearsal: Iterable[Logged], ended: bool
) -> list[Any]:
    """The feeds of models that the program was never seen to evaluate, completed by what its rehearsal evaluated;
    `ended` says whether that reached the last line."""
    own, later = Sightings(program), Sightings(rehearsal)
    fed = {one.model: one for one in later.of(FeedSeen) if one.rank == 0}
    trained = {one.model: one for one in own.of(ExamplesMet) if one.rank == 0}
    evaluated = {one.model: one for one in later.of(ExamplesMet) if one.rank == 0}
    found = []
    for fact in facts:
        there = fed.get(fact.model) if isinstance(fact, FeedSeen) else None
        if there is None or there.eval_site is None or fact.rank or fact.overlap.calls or fact.eval_site is not None:
            found.append(fact)
            continue
        here, over_there = trained.get(fact.model), evaluated.get(fact.model)
        common = common_of(here, over_there) if here is not None and over_there is not None else None
        found.append(
            replace(
                fact,
                eval_site=there.eval_site,
                crowded=there.crowded,
                inputs=_completed(fact.inputs, there.inputs),
                ids=there.ids,
                overlap=replace(common.overlap() if common is not None else Overlap(), ended=ended),
                parts=common.parts() if common is not None else (),
            )
        )
    return found


def _completed(own: tuple[Fed, ...], there: tuple[Fed, ...]) -> tuple[Fed, ...]:
    by_name = {one.train.name: one for one in there}
    return tuple(
        replace(
            one,
            evaluated=other.evaluated,
            apart=other.apart,
            wider=other.wider,
            prepared=other.prepared,
            carried=other.carried if other.carried.calls else one.carried,
        )
        if (other := by_name.get(one.train.name)) is not None
        else one
        for one in own
    )


@dataclass(frozen=True)
class CommonKeys:
    """Of what one run trained on and another evaluated: the keys that both are known whole by."""

    trained: ExamplesMet
    evaluated: ExamplesMet
    known: set[int]
    """Trained on."""
    batches: list[tuple[int, set[int]]]
    """Evaluated, each with the number of its evaluation."""
    sampled: bool

    def overlap(self) -> Overlap:
        batches = [batch for _, batch in self.batches]
        mixed = [batch for batch in batches if self._is_mixed(batch)]
        judged, everything = set().union(*mixed), set().union(*batches)
        return Overlap(
            trained=self.trained.trained,
            whole=True,
            evaluated=sum(self.evaluated.sizes) if len(everything & self.known) == 0 else 0,
            judged=len(judged),
            shared=len(judged & self.known),
            covered=self._covered(everything),
            calls=len(batches),
            pure=len(batches) - len(mixed),
            room=self.trained.room,
            doubled=self.trained.doubled,
            sampled=self.sampled,
        )

    def parts(self) -> tuple[PartEvaluated, ...]:
        found = []
        for number, name in enumerate(self.evaluated.names):
            batches = [batch for part, batch in self.batches if part == number]
            judged = set().union(*(batch for batch in batches if name or self._is_mixed(batch)))
            found.append(
                PartEvaluated(
                    name=name,
                    judged=len(judged),
                    shared=len(judged & self.known),
                    covered=self._covered(set().union(*batches)),
                )
            )
        return tuple(found)

    def _is_mixed(self, batch: set[int]) -> bool:
        return len(batch & self.known) < PURE * len(batch)

    def _covered(self, keys: set[int]) -> int:
        return round(len(keys & self.known) / len(self.known) * self.trained.trained) if self.known else 0


def common_of(trained: ExamplesMet, evaluated: ExamplesMet) -> CommonKeys | None:
    """By the keys below all those that were left out on either side."""
    if not trained.whole or not trained.smallest:
        return None
    sizes = zip(evaluated.evaluated, evaluated.sizes, strict=False)
    ends = [batch[-1] for batch, size in sizes if batch and size > len(batch)]
    if trained.trained > len(trained.smallest):
        ends.append(trained.smallest[-1])
    end = min(ends, default=math.inf)
    parts = (
        evaluated.parts if len(evaluated.parts) == len(evaluated.evaluated) else [NO_PART] * len(evaluated.evaluated)
    )
    batches = [
        (part, {key for key in batch if key <= end}) for part, batch in zip(parts, evaluated.evaluated, strict=True)
    ]
    return CommonKeys(
        trained=trained,
        evaluated=evaluated,
        known={key for key in trained.smallest if key <= end},
        batches=[(part, batch) for part, batch in batches if len(batch) >= LEAST_BATCH],
        sampled=bool(ends),
    )
