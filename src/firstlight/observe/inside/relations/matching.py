"""Are the examples that a loss pulls together alike, or others: those in the same place of the other half, say?"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.kindred import Kindred, share_pulled
from firstlight.observe.inside.tape.attraction import Pulled
from firstlight.records.pairs import Likeness, PairsPulled
from firstlight.records.places import Site

MOST_COLUMNS = 1024
LEAST_PLACES = 4
ROUNDED = 1e-4
"""Of the largest value of all embeddings, by which two that are the same may differ."""
ADJACENT = "of two neighbouring rows each"


@dataclass(frozen=True)
class Matching:
    """A way to pair the examples of a batch by their places."""

    name: str
    first: torch.Tensor
    """Places, and below, the one that each goes with, and the one beside that."""
    second: torch.Tensor
    beside: torch.Tensor


@dataclass
class Ranks:
    pairs: int = 0
    total: float = 0.0

    def add(self, ranks: torch.Tensor) -> None:
        self.pairs, self.total = self.pairs + len(ranks), self.total + float(ranks.sum())

    def seen(self) -> Likeness:
        return Likeness(pairs=self.pairs, rank=self.total / self.pairs) if self.pairs else Likeness()


@dataclass
class MatchingSeen:
    matched: Ranks = field(default_factory=Ranks)
    beside: Ranks = field(default_factory=Ranks)
    asked: int = 0
    """Of its pairs, and below, those that the loss pulls together, and those it pushes apart and no others."""
    shared: int = 0
    pushed: int = 0
    copies: int = 0
    """Of all its pairs, those whose inputs have the same values, and below, whose embeddings have them too."""
    same: int = 0


def matchings(examples: int, blocks: int) -> Iterator[Matching]:
    """Row by row of two blocks, one after the other, that a batch is made of; and of neighbours."""
    places = torch.arange(examples)
    for parts in {2, blocks} if blocks != 1 else {2}:
        size = examples // parts
        if examples % parts or size < LEAST_PLACES:
            continue
        for one in range(parts):
            for other in range(one + 1, parts):
                first, second = places[:size] + one * size, places[:size] + other * size
                name = f"in the same row of blocks {one + 1} and {other + 1} of {parts}"
                both, across = torch.cat([first, second]), torch.cat([second, first])
                beside = torch.cat([second.roll(1), first.roll(1)])
                yield Matching(name, both, across, beside)
    if examples % 2 == 0:
        yield Matching(ADJACENT, places, places ^ 1, (places + 1 - 2 * (1 - places % 2)) % examples)


def distances(inputs: torch.Tensor) -> torch.Tensor:
    """Of each example to each, by columns in their deviations."""
    table = rows.evenly(inputs, MOST_COLUMNS).to("cpu", torch.float64)
    table = table - table.mean(0)
    spread = table.square().mean(0).sqrt()
    table = table[:, spread > 0] / spread[spread > 0]
    return torch.cdist(table, table)


def ranks(apart: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Share of the other examples that are nearer to the first than the second is; equal ones count by half."""
    own, others = apart[first], apart[first, second][:, None]
    nearer = (own < others).double().sum(1) - (others[:, 0] > 0).double()  # an example is not one of its others
    level = (own == others).double().sum(1) - 1 - (others[:, 0] == 0).double()
    return (nearer + level / 2) / (len(apart) - 2)


class PartedPairs:
    """Pairs that the loss pushes apart above all, at the same places each time."""

    def __init__(self) -> None:
        self.parted = Ranks()
        self.pairs = self.again = 0
        self.others: list[float] = []
        self._place: torch.Tensor | None = None

    def add(self, found: Pulled, apart: torch.Tensor) -> None:
        before = torch.full_like(found.pushed, -1) if self._place is None else self._place
        once = (found.pushed >= 0) & (before >= 0)
        self._place = torch.where(before >= 0, before, found.pushed)
        self.pairs += int(once.sum())
        self.again += int((once & (found.pushed == before)).sum())
        alone = found.pushed >= 0
        self.parted.add(ranks(apart, found.rows[alone], found.pushed[alone]))
        others = found.force.clone()
        others[alone, found.pushed[alone]] = 0.0
        self.others.append(share_pulled(others) or 0.0)

    def seen(self) -> dict[str, Any]:
        return {
            "held": self.again / max(1, self.pairs),
            "parted": self.parted.seen(),
            "others": sum(self.others) / max(1, len(self.others)),
        }


class MadeAnew:
    """Two tensors of a loader's batch that hold the same values, and other ones when the same row comes again."""

    def __init__(self) -> None:
        self.seen = self._over = False
        self._known: dict[int, int] = {}

    def given(self, batch: Sequence[torch.Tensor], places: Sequence[int]) -> None:
        """`places` are the rows of the dataset that the batch is made of."""
        if self._over or not places:
            return
        again = [place for place in range(len(places)) if places[place] in self._known]
        if self._known and not again:
            return
        twin = next(_twins(batch, len(places)), None)
        if twin is None or again:
            found = [] if twin is None else rows.keys([twin[again]])
            self.seen = any(key != self._known[places[place]] for key, place in zip(found, again, strict=False))
            self._over = True
        else:
            self._known = dict(zip(places, rows.keys([twin]), strict=False))


def _twins(batch: Sequence[torch.Tensor], count: int) -> Iterator[torch.Tensor]:
    wide = [one for one in batch if one.is_floating_point() and one.ndim > 1 and len(one) == count]
    for one, other in itertools.combinations(wide, 2):
        if one.shape == other.shape and one.data_ptr() != other.data_ptr() and torch.equal(one, other):
            yield one


class PairsMatched:
    """Adds up over looks at batches of one size."""

    def __init__(self) -> None:
        self.looks = self.asked = self.fixed = 0
        self.pulled = Ranks()
        self.kindred = Kindred()
        self._parted = PartedPairs()
        self._tallies: dict[str, MatchingSeen] = {}
        self._first: Pulled | None = None
        self._examples = 0

    def add(self, found: Pulled, inputs: torch.Tensor, blocks: int) -> None:
        """`inputs` of all blocks, one under the other, as the embeddings are."""
        if self._first is not None and len(inputs) != self._examples:
            return
        self._first, self._examples = self._first or found, len(inputs)
        clear = found.to >= 0
        self.looks += 1
        self.asked += len(clear)
        self.fixed += int((clear & (found.to == self._first.to)).sum())
        apart = distances(inputs)
        self.pulled.add(ranks(apart, found.rows[clear], found.to[clear]))
        self._parted.add(found, apart)
        for matching in matchings(len(inputs), blocks):
            tally = self._tallies.setdefault(matching.name, MatchingSeen())
            self._match(tally, matching, found, apart)
            self._copied(tally, matching, inputs, found.embedded)

    def _match(self, tally: MatchingSeen, matching: Matching, found: Pulled, apart: torch.Tensor) -> None:
        partner = torch.full((len(apart),), -2)
        partner[matching.first] = matching.second
        tally.matched.add(ranks(apart, matching.first, matching.second))
        apart_from = matching.first != matching.beside
        tally.beside.add(ranks(apart, matching.first[apart_from], matching.beside[apart_from]))
        tally.asked += int((partner[found.rows] >= 0).sum())
        tally.shared += int((partner[found.rows] == found.to).sum())
        tally.pushed += int((partner[found.rows] == found.pushed).sum())

    def _copied(self, tally: MatchingSeen, matching: Matching, inputs: torch.Tensor, embedded: torch.Tensor) -> None:
        copies = (inputs[matching.first] == inputs[matching.second]).all(1).cpu()
        apart = (embedded[matching.first] - embedded[matching.second]).abs().amax(1).double().cpu()
        tally.copies += int(copies.sum())
        tally.same += int((copies & (apart <= ROUNDED * embedded.abs().max().cpu())).sum())

    def record(self, step: int, site: Site | None, drawn: bool = False) -> PairsPulled:
        """With the matching whose pairs are most alike."""
        tallies = self._tallies.items()
        name, best = max(tallies, key=lambda pair: pair[1].matched.seen().deviations, default=("", MatchingSeen()))
        return PairsPulled(
            step=step,
            site=site,
            looks=self.looks,
            fixed=self.fixed / max(1, self.asked),
            pulled=self.pulled.seen(),
            matching=name,
            matched=best.matched.seen(),
            beside=best.beside.seen(),
            shared=best.shared / max(1, best.asked),
            pushed=best.pushed / max(1, best.asked),
            copies=best.copies / max(1, best.matched.pairs),
            same=best.same / max(1, best.matched.pairs),
            labelled=self.kindred.seen(),
            drawn=drawn,
            **self._parted.seen(),
        )
