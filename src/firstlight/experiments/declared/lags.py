"""Is the target a piece of the input sequence, and if so, which: the next place, the same, an earlier one?

What counts is the target that reaches the loss function: models that shift their labels themselves are seen as they
are.
"""

import itertools
from collections.abc import Iterator

import torch

from firstlight.experiments.declared.bench import Batch, Bench, prediction_of
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.stumbling import line_of
from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside.relations.series import LEAST_LENGTH, NEAR, AnswerSeries, series_of
from firstlight.records.declared import LagSeen

MOST_FEATURES = 32
UNMOVED = 1e-5


def lags(bench: Bench) -> None:
    batch, model = bench.batch(), bench.model().eval()
    with torch.no_grad():
        calls = hear(bench, model, batch).calls
    target = calls[0].target if len(calls) == 1 else batch.target
    asked = [(series, series.offset()) for series in itertools.islice(_found(batch, target), MOST_FEATURES)]
    found = [(series, offset) for series, offset in asked if offset is not None]
    if found:
        # An input whose next place is asked for is what the model goes on from; others are what it is told besides.
        bench.emit(_seen(bench, model, batch, next((pair for pair in found if pair[1] == 1), found[0])))
    elif asked:
        bench.emit(LagSeen(length=0, places=0, offset=None, whole_numbers=False))


def _found(batch: Batch, target: object) -> Iterator[AnswerSeries]:
    if isinstance(target, torch.Tensor):
        yield from series_of(batch.inputs, target, batch.examples or 0)


def _seen(bench: Bench, model: torch.nn.Module, batch: Batch, found: tuple[AnswerSeries, int]) -> LagSeen:
    series, offset = found
    length, places = series.given.shape[1], series.target.shape[1]
    ids = not series.given.is_floating_point()
    aligned = series.aligned and offset <= NEAR
    return LagSeen(
        length=length,
        places=places,
        offset=offset,
        whole_numbers=ids,
        aligned=aligned,
        feature=series.feature,
        causal=_causal(bench, model, batch) if aligned and offset == 0 and ids else None,
        site=line_of(bench.experiment.loss or bench.experiment.step),
    )


def _causal(bench: Bench, model: torch.nn.Module, batch: Batch) -> bool | None:
    """Whether another last input changes the last output and no earlier one. None where that cannot be seen."""
    if bench.experiment.causal is not None:
        return bench.experiment.causal
    outputs: list[torch.Tensor] = []
    hook = model.register_forward_hook(lambda _m, _g, made: outputs.append(_kept(made)))
    try:
        with torch.no_grad():
            for raw in (batch.raw, changed(batch.raw, _other_end)):
                bench.passed(model, bench.taken_apart(raw))
    finally:
        hook.remove()
    if len(outputs) != 2 or outputs[0].ndim < 3 or outputs[0].shape != outputs[1].shape:
        return None
    moved = (outputs[0] - outputs[1]).abs().flatten(2).amax((0, 2))
    return bool(moved[-1] > 0 and (moved[:-1] <= UNMOVED * moved[-1]).all())


def _kept(made: object) -> torch.Tensor:
    found = prediction_of(made)
    return found.detach().float() if found is not None else torch.zeros(())


def _other_end(tensor: torch.Tensor) -> torch.Tensor:
    """The ids of the last place, exchanged between the examples."""
    if tensor.is_floating_point() or tensor.ndim != 2 or tensor.shape[1] < LEAST_LENGTH:
        return tensor
    other = tensor.clone()
    other[:, -1] = tensor[:, -1].roll(1, 0)
    return other
