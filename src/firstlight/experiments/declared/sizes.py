"""The model on other numbers of examples: those that are to come, and two that fit no size by chance."""

from collections.abc import Iterator, Sized
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench, prediction_of
from firstlight.experiments.declared.fitting import rows
from firstlight.experiments.declared.stumbling import Stumbled, line_of
from firstlight.records.declared import SizesTried
from firstlight.records.declared.contact import SizeTried

STRANGE = (7, 6)
"""A prime, unlike any other size of the batch; and one for batches that are made of pairs or of triples."""


def sizes(bench: Bench) -> None:
    batch = bench.batch()
    usual = batch.examples
    if usual is None or usual <= max(STRANGE) or not _of_rows(bench, batch, usual):
        return
    whole = _tried(bench, batch, usual, "")
    coming = {size: words for size, words in _coming(bench, usual) if size != usual}
    bench.emit(
        SizesTried(
            usual=usual,
            shape=whole.shape,
            tried=tuple(
                _tried(bench, batch, size, words) for size, words in [*coming.items(), *((s, "") for s in STRANGE)]
            ),
            site=line_of(type(bench.model())),
        )
    )


def _of_rows(bench: Bench, batch: Batch, usual: int) -> bool:
    """One row an example in every tensor, and more than one batch: a whole graph, say, is not made of rows."""
    tensors = [*batch.inputs, *([batch.target] if isinstance(batch.target, torch.Tensor) else [])]
    return all(tensor.ndim and len(tensor) == usual for tensor in tensors) and len(bench.batches(2)) > 1


def _coming(bench: Bench, usual: int) -> Iterator[tuple[int, str]]:
    """Sizes of the last batches of both splits, where their loaders tell."""
    for split, words in (("train", "the last training batch"), ("val", "the last validation batch")):
        loader: Any = getattr(bench.experiment, split)
        sampler, size = getattr(loader, "sampler", None), getattr(loader, "batch_size", None)
        if isinstance(sampler, Sized) and isinstance(size, int) and not getattr(loader, "drop_last", True):
            left = len(sampler) % size
            if left and left <= usual and (split == "val" or size == usual):
                yield left, words


def _tried(bench: Bench, batch: Batch, size: int, comes: str) -> SizeTried:
    """In eval mode, where a batch norm takes any size; a new model each time, which has no other size in memory."""
    model = bench.model().eval()
    fewer = rows(bench, batch, list(range(size)))
    try:
        with torch.no_grad():
            output = bench.output(model, fewer) if bench.experiment.step is None else None
            if bench.has_loss:
                bench.raw_loss(model, fewer)
    except Stumbled as stumbled:
        fact = stumbled.fact
        told = f"{fact.error}: {fact.message}" if fact.error else fact.message
        return SizeTried(examples=size, comes=comes, error=told, module=fact.module, site=fact.site)
    prediction = prediction_of(output)
    return SizeTried(examples=size, comes=comes, shape=tuple(prediction.shape) if prediction is not None else None)
