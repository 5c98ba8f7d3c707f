"""Both splits of a declared experiment, read for a while: what they feed the model, and which examples are in both."""

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside.echo import Asked, Echoes
from firstlight.observe.inside.feed import Feed, named
from firstlight.records.feed import NOT_CALLED, FeedSeen
from firstlight.records.places import Site

BATCHES = 400
ROWS = 20_000
MEASURED = 32


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
    bench.emit(
        FeedSeen(
            step=0,
            model=NOT_CALLED,
            name=model.__name__,
            site=_origin(bench.experiment.train),
            eval_site=None,
            inputs=feed.inputs(),
            tensors=max((len(_given(batch)) for batch in train), default=1),
            overlap=feed.overlap,
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
