"""The first contact: read a batch, build the model twice, call it, compute the loss, go backward."""

import time
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.stumbling import line_of, using
from firstlight.observe.inside import reading
from firstlight.records.declared import Built, Output
from firstlight.records.sighting import TensorCard

MOST_CARDS = 8


def smoke(bench: Bench) -> None:
    batch = bench.batch() if "data" in bench.experiment.declared else None
    begun = time.perf_counter()
    model = bench.model()
    seconds = time.perf_counter() - begun
    bench.emit(_built(bench, model, seconds))
    if batch is not None:
        _called(bench, model, batch)


def _built(bench: Bench, model: torch.nn.Module, seconds: float) -> Built:
    given = bench.experiment.model
    parameters = list(model.parameters())
    again = model if isinstance(given, torch.nn.Module) else bench.model()
    return Built(
        model=type(model).__name__,
        seconds=round(seconds, 4),
        tensors=len(parameters),
        elements=sum(p.numel() for p in parameters),
        trainable=sum(p.numel() for p in parameters if p.requires_grad),
        same_again=_shapes(model) == _shapes(again),
        shared=again is model and not isinstance(given, torch.nn.Module),
        devices=tuple(sorted({str(p.device) for p in parameters})),
        dtypes=tuple(sorted({str(p.dtype).removeprefix("torch.") for p in parameters})),
        site=line_of(given if not isinstance(given, torch.nn.Module) else type(given)),
    )


def _shapes(model: torch.nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}


def _called(bench: Bench, model: torch.nn.Module, batch: Batch) -> None:
    output = bench.output(model, batch) if bench.experiment.step is None else None
    value: Any = None
    if bench.has_loss:
        value = bench.raw_loss(model, batch)
    bench.emit(
        Output(
            examples=batch.examples,
            inputs=_cards(batch.inputs),
            outputs=_cards(output),
            target=next(iter(_cards(batch.target)), None),
            loss=next(iter(_cards(value)), None),
            watched=bench.watched,
            site=line_of(bench.experiment.loss or bench.experiment.step),
        )
    )
    if value is not None:
        loss = bench.loss(model, batch)
        with using("loss", "going backward from it", model):
            loss.backward()


def _cards(tree: Any) -> tuple[TensorCard, ...]:
    return tuple(reading.card(tensor) for tensor in reading.tensors_in(tree))[:MOST_CARDS]
