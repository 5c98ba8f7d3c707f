"""From which row of which dataset an example is, whatever is done to it as it is read.

Two datasets that hold the same are one: a program that reads its training part with changes and the other part without
makes a dataset of its own for each.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.identity import ByIdentity

MOST_ATTRIBUTES = 32
SAMPLE = 64
"""Values by which what a dataset holds is known again."""
FEW = 8
"""Examples by which a list is known again: looked at in each batch, as an identity outlives no list."""
PLAIN = (str, int, float, bool, Path)


class Origins:
    def __init__(self) -> None:
        self._sources: ByIdentity[tuple[object, ...]] = ByIdentity()
        self._met = 0

    def of(self, loader: Any, rows: Sequence[int]) -> list[int]:
        """`rows` are those of the dataset that a part was taken from."""
        dataset = getattr(loader, "dataset", None)
        while isinstance(dataset, torch.utils.data.Subset):
            dataset = dataset.dataset
        if dataset is None or not rows:
            return []
        source = tuple(_listed(dataset)) if isinstance(dataset, list | tuple) else self._source(dataset)
        return [hash((source, row)) for row in rows]

    def _source(self, dataset: object) -> tuple[object, ...] | None:
        if dataset not in self._sources:
            self._met += 1
            held = tuple(_held(dataset))
            kind = f"{type(dataset).__module__}.{type(dataset).__qualname__}"
            self._sources[dataset] = (kind, *held) if held else (kind, self._met)
        return self._sources.get(dataset, None)


def _listed(examples: Sequence[Any]) -> Iterator[object]:
    """Of some of the examples, where a plain list of them is the dataset."""
    yield len(examples)
    for example in examples[:: max(1, len(examples) // FEW)][:FEW]:
        parts = example.values() if isinstance(example, dict) else example if isinstance(example, tuple) else (example,)
        digests = [found for part in parts if (found := _digest(part)) is not None]
        yield tuple(digests) if digests else id(example)


def _held(dataset: object) -> Iterator[object]:
    """Examples that it holds, or names of their files; not how they are to be changed."""
    for name, value in list(getattr(dataset, "__dict__", {}).items())[:MOST_ATTRIBUTES]:
        parts = value if isinstance(value, tuple) else (value,)
        yield from ((name, found) for part in parts if (found := _digest(part)) is not None)


def _digest(value: Any) -> object:
    if type(value).__module__ == "numpy" and hasattr(value, "dtype") and value.dtype.kind in "fiub":
        value = torch.as_tensor(value)
    if isinstance(value, torch.Tensor):
        whole = value.ndim > 0 and value.layout is torch.strided and reading.readable(value)
        return (tuple(value.shape), *_sample(value.reshape(-1)).tolist()) if whole else None
    if isinstance(value, list) and value:
        some = value[:: max(1, len(value) // SAMPLE)][:SAMPLE]
        return (len(value), *map(str, some)) if all(map(_is_plain, some)) else None
    return None


def _sample(flat: torch.Tensor) -> torch.Tensor:
    return flat[:: max(1, len(flat) // SAMPLE)][:SAMPLE].detach()


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(isinstance(part, PLAIN) for part in value))
