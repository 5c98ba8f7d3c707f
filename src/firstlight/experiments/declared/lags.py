"""Is the target a piece of the input sequence, and if so, which: the next place, the same, an earlier one?

What counts is the target that reaches the loss function: models that shift their labels themselves are seen as they
are.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from firstlight.experiments.declared.bench import Batch, Bench, prediction_of
from firstlight.experiments.declared.hearing import hear
from firstlight.experiments.declared.stumbling import line_of
from firstlight.experiments.inside.steering import changed
from firstlight.records.declared import LagSeen

LEAST_LENGTH = 8
LEAST_ROWS = 4
LEAST_DISTINCT = 8
"""Values; sequences of fewer repeat themselves by nature."""
MOST_ALIKE = 0.5
"""Share of the most frequent value."""
SAME = 0.95
"""Share of places at which target and input are equal."""
OTHERWISE = 0.9
"""Share beyond which a neighbouring offset fits as well: the sequence repeats itself, and nothing can be told."""
NEAR = 4
"""Steps; a target so near to its place is a shifted sequence, one further off a window."""
MOST_FEATURES = 32
UNMOVED = 1e-5


@dataclass(frozen=True)
class _Series:
    """One feature of the inputs and the target, both one row an example."""

    given: torch.Tensor
    target: torch.Tensor
    feature: int

    def share(self, offset: int) -> float:
        """Of the places of the target that lie in the input, when it is laid over it so much later."""
        length, places = self.given.shape[1], self.target.shape[1]
        first, last = max(0, -offset), min(places, length - offset)
        if last <= first:
            return 0.0
        wanted = self.target[:, first:last]
        counts = wanted != -100 if not wanted.is_floating_point() else torch.ones_like(wanted, dtype=torch.bool)
        equal = (wanted == self.given[:, first + offset : last + offset]) & counts
        return float(equal.sum()) / max(1, int(counts.sum()))

    def offset(self) -> int | None:
        """The one that fits, where no neighbour does."""
        places = range(-min(NEAR, self.target.shape[1] - 1), self.given.shape[1])
        found = [offset for offset in places if self.share(offset) >= SAME]
        if len(found) != 1 or any(self.share(found[0] + by) > OTHERWISE for by in (-1, 1)):
            return None
        return found[0]


def lags(bench: Bench) -> None:
    batch, model = bench.batch(), bench.model().eval()
    with torch.no_grad():
        calls = hear(bench, model, batch).calls
    target = calls[0].target if len(calls) == 1 else batch.target
    asked = [(series, series.offset()) for series in itertools.islice(_series(batch, target), MOST_FEATURES)]
    found = [(series, offset) for series, offset in asked if offset is not None]
    if found:
        # An input whose next place is asked for is what the model goes on from; others are what it is told besides.
        bench.emit(_seen(bench, model, batch, next((pair for pair in found if pair[1] == 1), found[0])))
    elif asked:
        bench.emit(LagSeen(length=0, places=0, offset=None, whole_numbers=False))


def _series(batch: Batch, target: object) -> Iterator[_Series]:
    rows = batch.examples or 0
    if not isinstance(target, torch.Tensor) or rows < LEAST_ROWS or target.numel() % rows:
        return
    for given in batch.inputs:
        if given.ndim not in (2, 3) or len(given) != rows or given.shape[1] < LEAST_LENGTH:
            continue
        if given.is_floating_point() != target.is_floating_point() or not (_varied(given) and _varied(target)):
            continue
        wide = target.ndim == 3 and target.shape[-1] > 1
        flat = target.reshape(rows, -1, target.shape[-1])[..., 0] if wide else target.reshape(rows, -1)
        if given.ndim == 2 and given.is_floating_point() and flat.shape[1] == 1:
            continue  # a table, whose columns FL154 compares with the target
        features = given[..., None] if given.ndim == 2 else given
        for feature in range(features.shape[-1]):
            yield _Series(features[..., feature].detach().cpu(), flat.detach().cpu(), feature)


def _varied(values: torch.Tensor) -> bool:
    """Many different values, none of them everywhere: two such sequences are not equal by chance."""
    counts = values[values != -100].unique(return_counts=True)[1]
    return len(counts) >= LEAST_DISTINCT and float(counts.max()) <= MOST_ALIKE * float(counts.sum())


def _seen(bench: Bench, model: torch.nn.Module, batch: Batch, found: tuple[_Series, int]) -> LagSeen:
    series, offset = found
    length, places = series.given.shape[1], series.target.shape[1]
    ids = not series.given.is_floating_point()
    aligned = abs(length - places) <= 2 and offset <= NEAR
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
