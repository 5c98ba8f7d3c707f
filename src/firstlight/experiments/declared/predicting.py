"""Predictions against targets on held-out data: their spread, how many differ, and whether they go together."""

import math

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.hearing import LossCall, hear
from firstlight.experiments.declared.reference import BINARY, DISTANCES, OVER_CLASSES
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import Predictions

EXAMPLES = 512
LEAST = 16
MOST_FEATURES = 256


def predictions(bench: Bench, model: torch.nn.Module, learnt: bool) -> None:
    split = "val" if bench.experiment.val is not None else "train"
    calls, inputs = _heard(bench, model.eval(), split)
    if not calls or any(call.name != calls[0].name for call in calls):
        return
    predicted, wanted = answers(calls)
    if predicted is None or wanted is None or wanted.numel() < LEAST:
        return
    classes = None if calls[0].name in DISTANCES else int(wanted.unique().numel())
    bad = ~torch.isfinite(predicted)
    kept, known = predicted[~bad], wanted[~bad]
    spread = float(known.std()) if known.numel() > 1 else 0.0
    by_class = classes is not None
    bench.emit(
        Predictions(
            split=split,
            examples=wanted.numel(),
            classes=classes,
            predicted_classes=int(kept.unique().numel()) if by_class else None,
            majority_share=float(torch.bincount(wanted.long()).max() / wanted.numel()) if by_class else None,
            target_std=spread,
            prediction_std=float(kept.std()) if kept.numel() > 1 else 0.0,
            unique=int((kept / max(spread * 1e-6, 1e-30)).round().unique().numel()),
            nonfinite=int(bad.sum()),
            correlation=None if by_class else _correlation(kept, known),
            rank_correlation=None if by_class else _correlation(_ranks(kept), _ranks(known)),
            linear_correlation=None if by_class else _linear(inputs, wanted),
            learnt=learnt,
            site=line_of(type(model)),
        )
    )


def heard_on(bench: Bench, model: torch.nn.Module, split: str) -> list[LossCall]:
    """The calls of the loss on some examples of a split; none where a batch has several."""
    return _heard(bench, model, split)[0]


def _heard(bench: Bench, model: torch.nn.Module, split: str) -> tuple[list[LossCall], list[torch.Tensor]]:
    calls: list[LossCall] = []
    inputs: list[torch.Tensor] = []
    with torch.no_grad():
        for batch in bench.read(split):
            heard = hear(bench, model, batch)
            if len(heard.calls) != 1:
                return [], []
            calls.append(heard.calls[0])
            inputs += [tensor for tensor in batch.inputs[:1] if tensor.is_floating_point()]
            if sum(len(call.target) for call in calls if call.target.ndim) >= EXAMPLES:
                break
    return calls, inputs


def answers(calls: list[LossCall]) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Chosen classes, or values, with what they should be."""
    name = calls[0].name
    wanted = torch.cat([call.target.flatten() for call in calls]).double().cpu()
    if name in OVER_CLASSES and not calls[0].target.is_floating_point() and calls[0].prediction.ndim > 1:
        chosen = torch.cat([_chosen(call.prediction).flatten() for call in calls]).cpu()
        kept = wanted != calls[0].options.get("ignore_index", -100)
        return chosen[kept], wanted[kept]
    predicted = torch.cat([call.prediction.flatten() for call in calls]).double().cpu()
    if predicted.shape != wanted.shape:
        return None, None
    if name in BINARY:
        return (predicted > (0.5 if name == BINARY[0] else 0.0)).double(), (wanted > 0.5).double()
    return (predicted, wanted) if name in DISTANCES else (None, None)


def _chosen(scores: torch.Tensor) -> torch.Tensor:
    """The class with the highest score; none where a score is no number."""
    return scores.argmax(1).double().masked_fill(torch.isnan(scores).any(1), torch.nan)


def _correlation(one: torch.Tensor, other: torch.Tensor) -> float | None:
    if one.numel() < LEAST or float(one.std()) == 0 or float(other.std()) == 0:
        return None
    return float(torch.corrcoef(torch.stack([one, other]))[0, 1])


def _ranks(values: torch.Tensor) -> torch.Tensor:
    return values.argsort().argsort().double()


def _linear(inputs: list[torch.Tensor], wanted: torch.Tensor) -> float | None:
    """How well a straight line through the same inputs would do, corrected for how many there are."""
    if not inputs or len({tensor.shape[1:] for tensor in inputs}) > 1:
        return None
    table = torch.cat(inputs).reshape(sum(map(len, inputs)), -1).double().cpu()
    rows, columns = table.shape
    if rows != wanted.numel() or columns > MOST_FEATURES or rows < 3 * columns:
        return None
    table = torch.cat([table, torch.ones(rows, 1, dtype=torch.float64)], 1)
    fitted = table @ torch.linalg.lstsq(table, wanted[:, None], driver="gelsd").solution
    found = _correlation(fitted.flatten(), wanted)
    explained = 0.0 if found is None else 1 - (1 - found * found) * (rows - 1) / max(1, rows - columns - 1)
    return math.sqrt(max(0.0, explained))
