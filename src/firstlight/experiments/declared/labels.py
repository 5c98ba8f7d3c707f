"""The class labels of both splits: do equal inputs have equal labels, which classes are where, what is in a batch?"""

import itertools
import time
from collections import Counter
from collections.abc import Sized
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.observe.inside import rows
from firstlight.records.declared import Batching, LabelsSeen

ROWS = 50_000
SECONDS = 10.0
"""For each split."""
SAMPLE = 1024
"""Examples by which it is judged how much inputs can differ."""
LEAST_BATCH = 8
"""In smaller ones a single class is no surprise."""
MOST_NAMED = 6


@dataclass
class _Split:
    labels: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    telling: list[bool] = field(default_factory=list)
    singles: list[int] = field(default_factory=list)
    """The classes of batches that hold but one."""
    batches: int = 0
    sample: list[list[torch.Tensor]] = field(default_factory=list)
    """The inputs of the first batches."""
    whole: bool = True

    def add(self, batch: Batch, found: torch.Tensor) -> None:
        inputs = batch.inputs
        self.labels += found.tolist()
        self.keys += rows.keys(inputs)
        self.telling += rows.telling(inputs)
        if len(self.labels) <= SAMPLE:
            self.sample.append(inputs)
        if len(found) >= LEAST_BATCH:
            self.batches += 1
            self.singles += [int(found[0])] if bool((found == found[0]).all()) else []


def labels(bench: Bench) -> None:
    train = _read(bench, "train")
    if train is None or not train.labels:
        return
    val = (_read(bench, "val") if bench.experiment.val is not None else None) or _Split()
    known = set(train.labels)
    unseen = Counter(label for label in val.labels if label not in known)
    repeated, conflicting, pair = _conflicts(train)
    bench.emit(
        LabelsSeen(
            train=len(train.labels),
            val=len(val.labels),
            classes=len(known),
            whole=train.whole,
            unseen=tuple(sorted(unseen)[:MOST_NAMED]),
            unseen_classes=len(unseen),
            unseen_examples=sum(unseen.values()),
            repeated=repeated,
            conflicting=conflicting,
            pair=pair,
            room=_room(train.sample),
            batching=_batching(train),
        )
    )


def _read(bench: Bench, split: str) -> _Split | None:
    """None where the targets are not one class for each example."""
    found = _Split()
    deadline = time.monotonic() + SECONDS
    for batch in bench.read(split):
        classes = _classes(bench, batch)
        if classes is None:
            return None
        found.add(batch, classes)
        if len(found.labels) >= ROWS or time.monotonic() > deadline:
            found.whole = False
            break
    found.whole = found.whole and not _leaves_out(getattr(bench.experiment, split), len(found.labels))
    return found


def _leaves_out(loader: Any, read: int) -> bool:
    """More than a last batch that is not full: a sampler gives but some of the examples."""
    data, size = getattr(loader, "dataset", None), getattr(loader, "batch_size", None)
    return isinstance(data, Sized) and isinstance(size, int) and len(data) - read >= size


def _classes(bench: Bench, batch: Batch) -> torch.Tensor | None:
    target = batch.target
    if not isinstance(target, torch.Tensor) or target.is_floating_point() or target.is_complex() or not target.ndim:
        return None
    if target.numel() != batch.examples or bench.experiment.task not in (None, "classification", "binary"):
        return None
    return target.detach().reshape(-1).long().cpu()


def _conflicts(split: _Split) -> tuple[int, int, tuple[int, ...]]:
    """Examples whose inputs another one has too, those of them whose labels differ, and two such labels."""
    if len(split.keys) != len(split.labels):
        return 0, 0, ()
    groups: dict[int, list[int]] = {}
    for key, label, tells in zip(split.keys, split.labels, split.telling, strict=True):
        if tells:
            groups.setdefault(key, []).append(label)
    several = [found for found in groups.values() if len(found) > 1]
    apart = [found for found in several if len(set(found)) > 1]
    pair = tuple(sorted(set(apart[0]))[:2]) if apart else ()
    return sum(map(len, several)), sum(map(len, apart)), pair


def _room(sample: list[list[torch.Tensor]]) -> float:
    """In bits; of the first batch alone where batches differ in shape."""
    if not sample:
        return 0.0
    parts = list(zip(*sample, strict=False))
    if any(len({tensor.shape[1:] for tensor in part}) > 1 for part in parts):
        return rows.room(sample[0])
    return rows.room([torch.cat(part) for part in parts])


def _batching(split: _Split) -> Batching:
    pairs = list(itertools.pairwise(split.singles))
    return Batching(
        batches=split.batches,
        single=len(split.singles),
        kinds=len(set(split.singles)),
        up=sum(b > a for a, b in pairs),
        down=sum(b < a for a, b in pairs),
    )
