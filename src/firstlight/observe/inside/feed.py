"""What one model is given, in training and in evaluation: how it is distributed, and which examples are in both."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from firstlight.observe.inside import ids, reading, rows
from firstlight.observe.inside.carrying import Carrying
from firstlight.observe.inside.evaluated import MOST_EXAMPLES, PartSeen
from firstlight.observe.inside.met import FirstPass, Met
from firstlight.observe.inside.near import NearCopies
from firstlight.observe.inside.own_scale import OwnScales
from firstlight.observe.inside.preparing import ExampleSample, LateSample, prepared_of_any
from firstlight.observe.inside.spread import Spread
from firstlight.records.feed import NO_PART, Carried, Columns, Fed, IdsFed, Overlap, Preparation

MOST_TENSORS = 4
PURE = 0.95
"""A batch of which so much was trained on is the training set itself, looked at again."""
LEAST_IDENTITY = 16
"""Values of a row that tell an example by themselves."""
OUTWEIGHS = 4
"""Times as many values as all other tensors have together."""
LEAST_BATCH = 4
LEAST_BATCHES = 8
OFTEN = 0.25
"""Share of the batches."""
FEW = 0.2
"""Share of the trained examples; where more come so often, a batch is a good part of the training set."""
TARGETS = ("label", "target")
WHOLE = (torch.int64, torch.int32)


class Pieces:
    """Stretches of sequences, trained on and evaluated: windows cut from one recording share them."""

    LENGTH = 4
    MOST = 200_000

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.trained: set[int] = set()
        self.judged = self.shared = 0

    def train(self, given: Mapping[str, torch.Tensor]) -> None:
        for tensor in self._sequences(given, len(self.trained)):
            self.trained.update(rows.pieces(tensor, self.LENGTH, self.axis))

    def evaluate(self, given: Mapping[str, torch.Tensor]) -> None:
        for tensor in self._sequences(given, self.judged):
            found = set(rows.pieces(tensor, self.LENGTH, self.axis))
            self.judged += len(found)
            self.shared += len(found & self.trained)

    def _sequences(self, given: Mapping[str, torch.Tensor], known: int) -> list[torch.Tensor]:
        """One at each call, while there is room for more."""
        found = [t for t in given.values() if t.ndim == 3 and t.is_floating_point() and reading.readable(t)]
        return found[:1] if known < self.MOST else []


class Feed:
    """With `split`, what is evaluated was declared to be new: a batch of the training set counts like any other."""

    def __init__(self, split: bool = False) -> None:
        self.split = split
        self.trained: Counter[int] = Counter()
        """How often each example was."""
        self.batches = 0
        self.of_ids = True
        """Examples are known by whole numbers alone."""
        self.first_pass = FirstPass()
        self.met = Met()
        self.pieces = (Pieces(1), Pieces(2))
        self.spreads: dict[tuple[str, str], Spread] = {}
        self.samples: dict[tuple[str, str], ExampleSample] = {}
        self.late: dict[str, LateSample] = {}
        """Of what was trained on last."""
        self.counts: dict[tuple[str, str], Counter[int]] = {}
        """Of whole numbers."""
        self.made: set[str] = set()
        """Inputs that a model made: a state it is given again, what an encoder gives. They are no data."""
        self.carrying: dict[str, Carrying] = {}
        self.near = NearCopies()
        self.scales = OwnScales()
        self.room = 0.0
        self.calls = self.pure = 0
        self._evaluated: set[int] = set()
        self._judged: set[int] = set()
        self._shared: set[int] = set()
        self._covered: set[int] = set()
        self._apart = self._longest = 0
        """Evaluated since one that was trained on, and the most of them at once."""

    def train(self, given: Mapping[str, torch.Tensor], measure: bool = True) -> list[int]:
        """The keys of the examples; none once there are too many of them."""
        keys: list[int] = []
        if len(self.trained) < MOST_EXAMPLES:
            known_by = identity(given)
            keys = rows.keys(known_by)
            self.of_ids = self.of_ids and all(tensor.dtype in WHOLE for tensor in known_by)
            self.first_pass.add(keys)
            self.met.train(keys, self.trained)
            self.scales.train(given, keys, self.trained)
            self.trained.update(keys)
            self.near.train(given, keys)
            self.batches += 1
            for pieces in self.pieces:
                pieces.train(given)
            self.room = self.room or rows.room(known_by)
        if measure:
            self._measure("train", given)
        return keys

    def evaluate(
        self, given: Mapping[str, torch.Tensor], measure: bool = True, part: PartSeen | None = None
    ) -> list[int]:
        """A batch of the training set may be looked at on purpose; others are judged by what was trained on before."""
        known_by = identity(given)
        keys = rows.keys(known_by) if self.trained else []
        found = {key for key, tells in zip(keys, rows.telling(known_by), strict=False) if tells}
        several = self.split or len(keys) >= LEAST_BATCH  # one by one, a text is gone on with, or an agent acts
        if several and len(self._evaluated) < MOST_EXAMPLES:
            self._evaluated.update(keys)
        self.met.evaluate(found, NO_PART if part is None else part.number)
        self.scales.evaluate(given, keys, self.trained)
        seen = found & self.trained.keys()
        pure = not self.split and len(seen) >= PURE * len(found)
        if len(found) >= LEAST_BATCH and len(self._judged) < MOST_EXAMPLES:
            self._covered |= seen
            self.calls += 1
            self.pure += pure
            if part is not None:
                part.add(found, seen, pure)
            if not pure:
                self._judged |= found
                self._shared |= seen
                self._apart = 0 if seen else self._apart + len(found)
                self._longest = max(self._longest, self._apart)
                self.near.evaluate(given, keys, seen)
                for pieces in self.pieces:
                    pieces.evaluate(given)
        if measure and several and not (found and pure):
            self._measure("eval", given)
        return keys

    def carried(self, training: bool, given: Mapping[str, torch.Tensor], batch: Sequence[torch.Tensor]) -> None:
        """`batch` is what a loader gave last."""
        for name, tensor in list(given.items())[:MOST_TENSORS]:
            self.carrying.setdefault(name, Carrying()).add(training, tensor, batch)

    def _measure(self, split: str, given: Mapping[str, torch.Tensor]) -> None:
        for name, tensor in list(given.items())[:MOST_TENSORS]:
            if not tensor.numel() or not reading.readable(tensor):
                continue
            if tensor.dtype in WHOLE:
                self.counts.setdefault((split, name), Counter()).update(ids.count(tensor))
            elif tensor.is_floating_point() and tensor.ndim >= 2:
                self.spreads.setdefault((split, name), Spread(name, tensor)).add(tensor)
                self.samples.setdefault((split, name), ExampleSample()).add(tensor)
                if split == "train":
                    self.late.setdefault(name, LateSample()).add(tensor)

    def probes(self, among: set[int]) -> set[int]:
        """The few examples that come again and again: looked at along the way, not learnt from in turn."""
        often = {key for key in among if self.trained[key] > OFTEN * self.batches}
        return often if self.batches >= LEAST_BATCHES and len(often) < FEW * len(self.trained) else set()

    @property
    def doubled(self) -> float:
        """Share of what is trained on in a pass that comes more than once in it: phrases of few words, say.

        By how often most examples came, as often as there were passes. Of numbers that were measured nothing is told:
        those are never twice the same by themselves.
        """
        if not self.trained or not self.of_ids:
            return 0.0
        passes = Counter(self.trained.values()).most_common(1)[0][0]
        single = sum(times for times in self.trained.values() if times <= passes)
        return 1 - single / self.trained.total()

    @property
    def overlap(self) -> Overlap:
        probes = self.probes(self._shared)
        judged, shared = len(self._judged - probes), len(self._shared - probes)
        return Overlap(
            trained=len(self.trained),
            whole=self.met.whole,
            again=self.met.again,
            doubled=self.doubled,
            evaluated=len(self._evaluated - self.trained.keys()),
            judged=judged,
            shared=shared,
            near=self._near(judged - shared),
            covered=len(self._covered),
            apart=self._longest,
            calls=self.calls,
            pure=self.pure,
            room=self.room,
            pieces=max(pieces.judged for pieces in self.pieces),
            shared_pieces=max((p.shared / p.judged for p in self.pieces if p.judged), default=0.0),
        )

    def _near(self, others: int) -> int:
        """Nearly all of them are the training set itself, made noisy on purpose."""
        share = self.near.share()
        return round(share * others) if share < PURE or self.split else 0

    def smallest(self) -> tuple[int, ...]:
        """Keys of examples trained on."""
        return tuple(sorted(self.trained)[: Met.TRAINED])

    def inputs(self) -> tuple[Fed, ...]:
        trained = [(name, spread) for (split, name), spread in self.spreads.items() if split == "train"]
        return tuple(self._fed(name, spread) for name, spread in trained if name not in self.made)

    def ids(self) -> tuple[IdsFed, ...]:
        both = [
            (name, c, self.counts.get(("eval", name))) for (split, name), c in self.counts.items() if split == "train"
        ]
        return tuple(ids.compared(name, here, there) for name, here, there in both if there and name not in self.made)

    def _fed(self, name: str, train: Spread) -> Fed:
        evaluated = self.spreads.get(("eval", name))
        columns: Columns | None = evaluated.columns() if evaluated is not None else None
        apart, wider = train.distance(evaluated) if evaluated is not None else (0.0, 1.0)
        trained, there = (self.samples.get((split, name)) for split in ("train", "eval"))
        here = [one for one in (trained, self.late.get(name)) if one is not None]
        found = Preparation() if there is None else prepared_of_any(here, there)
        return Fed(
            train=train.columns(),
            evaluated=columns,
            apart=apart,
            wider=wider,
            prepared=found,
            carried=self.carrying[name].seen() if name in self.carrying else Carried(),
            own_scale=self.scales.found(name),
        )


def identity(given: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
    """What an example is known by: all that the model is given, or the one tensor beside which the rest is small.

    A detector is given boxes with its images in training, and images alone in evaluation.
    """
    tensors = [tensor for tensor in given.values() if tensor.ndim and len(tensor)]
    widths = [tensor[0].numel() for tensor in tensors]
    widest = max(widths, default=0)
    if widest >= LEAST_IDENTITY and widest >= OUTWEIGHS * (sum(widths) - widest):
        return [tensors[widths.index(widest)]]
    return list(given.values())


def named(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors of a call by a name each; a target among the keywords, or in a batch that is given as a whole, is not
    what the model predicts from.

    A sparse one is a graph between the examples, and no example itself.
    """
    others = [item for item in arguments if not isinstance(item, Mapping)]
    found = {f"input {i}": t for i, t in enumerate(reading.tensors_in(others))}
    parts = ((str(key), value) for whole in arguments if isinstance(whole, Mapping) for key, value in whole.items())
    for key, value in (*parts, *keywords.items()):
        if not any(word in key.lower() for word in TARGETS):
            some = list(reading.tensors_in(value))
            found |= {key if len(some) == 1 else f"{key} {i}": t for i, t in enumerate(some)}
    return {name: tensor for name, tensor in found.items() if tensor.layout is torch.strided}
