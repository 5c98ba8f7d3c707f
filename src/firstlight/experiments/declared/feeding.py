"""Both splits of a declared experiment, read for a while: what they feed the model, and which examples are in both."""

import itertools
from collections.abc import Iterator
from typing import Any

import torch
from msgspec.structs import replace

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside.echo import Asked, Echoes
from firstlight.observe.inside.feed import Feed, named
from firstlight.records.feed import NOT_CALLED, FeedSeen
from firstlight.records.places import Site

BATCHES = 400
ROWS = 20_000
MEASURED = 32
PAIRED = 2000
"""Rows of each split that are set against each other for doubles with slightly other values."""
NEAR = 0.05
"""Of the usual distance to the nearest other training row."""
LEAST_WIDTH = 8
"""With fewer columns, rows lie close to others by nature."""


def feeding(bench: Bench) -> None:
    feed, echoes = Feed(split=True), Echoes()
    train, val = list(_some(bench, "train")), list(_some(bench, "val"))
    for number, batch in enumerate(train):
        feed.train(_given(batch), measure=number < MEASURED)
        if isinstance(batch.target, torch.Tensor) and number < MEASURED:
            echoes.step(list(_given(batch).values()), [Asked(batch.target, counted=False)])
    for number, batch in enumerate(val):
        feed.evaluate(_given(batch), measure=number < MEASURED)
    model = type(bench.model())
    overlap = feed.overlap
    if not overlap.shared:
        overlap = replace(overlap, near=near(_table(train), _table(val)))
    bench.emit(
        FeedSeen(
            step=0,
            model=NOT_CALLED,
            name=model.__name__,
            site=_origin(bench.experiment.train),
            eval_site=None,
            inputs=feed.inputs(),
            tensors=max((len(_given(batch)) for batch in train), default=1),
            overlap=overlap,
            echo=echoes.seen(),
        )
    )


def _origin(loader: Any) -> Site | None:
    """What is told here is about the data: its line is that of the user's own dataset, if there is one."""
    return line_of(type(getattr(loader, "dataset", loader)))


def _some(bench: Bench, split: str) -> Iterator[Batch]:
    rows = 0
    for batch in itertools.islice(bench.read(split), BATCHES):
        yield batch
        rows += batch.examples or 1
        if rows >= ROWS:
            return


def _given(batch: Batch) -> dict[str, torch.Tensor]:
    return named(batch.arguments, batch.keywords)


def _table(batches: list[Batch]) -> torch.Tensor | None:
    """The first floating-point input of all batches, one row an example."""
    parts = [next((t for t in batch.inputs if t.is_floating_point() and t.ndim >= 2), None) for batch in batches]
    flat = [part.flatten(1).double() for part in parts if part is not None]
    if not flat or len({part.shape[1] for part in flat}) != 1:
        return None
    table = torch.cat(flat)
    return table[torch.linspace(0, len(table) - 1, min(len(table), PAIRED)).long()]


def near(train: torch.Tensor | None, val: torch.Tensor | None) -> int:
    """Validation rows much closer to a training row than training rows are to one another."""
    if train is None or val is None or train.shape[1] != val.shape[1] or train.shape[1] < LEAST_WIDTH:
        return 0
    if len(train) < LEAST_WIDTH or not bool(torch.isfinite(train).all() and torch.isfinite(val).all()):
        return 0
    moves = train.std(0) > 0
    centre, width = train[:, moves].mean(0), train[:, moves].std(0)
    train, val = (train[:, moves] - centre) / width, (val[:, moves] - centre) / width
    among = torch.cdist(train, train).fill_diagonal_(torch.inf)
    usual = among.amin(1)
    usual = usual[usual > 0]
    if not len(usual):
        return 0
    return int((torch.cdist(val, train).amin(1) < NEAR * float(usual.median())).sum())
