"""Answers anybody could give, fitted to the same examples as the model: a constant, the last value, a linear model."""

import itertools
import math
from collections.abc import Sized
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import fit
from firstlight.experiments.declared.predicting import answers, heard_on
from firstlight.experiments.declared.reference import DISTANCES
from firstlight.experiments.declared.stumbling import line_of
from firstlight.records.declared import Baselines, Score

STEPS = 400
SECONDS = 20.0
MOST_FEATURES = 1024
RIDGE = 1e-3
"""Relative to the spread of the features."""
LEAST_SCORED = 32


@dataclass(frozen=True)
class Known:
    """Examples with a target each, as rows of features where the inputs are a table."""

    features: torch.Tensor | None
    target: torch.Tensor

    def __len__(self) -> int:
        return len(self.target)

    @property
    def width(self) -> int:
        return self.features.shape[1] if self.features is not None else 0


def baselines(bench: Bench) -> None:
    """The model trains as it is declared; everything is scored on `val`."""
    model = bench.model()
    optimizer = bench.optimizer(model)
    kept = list(itertools.islice(bench.forever(), STEPS))
    bench.seed()
    losses = fit(bench, (model, optimizer), iter(kept), SECONDS)
    seen = kept[: len(losses)]
    fitted, scored = heard_on(bench, model.eval(), "train"), heard_on(bench, model, "val")
    train, val = _known(_once(bench, seen)), _known(bench.batches(64, "val"))
    if not fitted or not scored or train is None or val is None:
        return
    (predicted, wanted), by_class = answers(scored), scored[0].name not in DISTANCES
    (own, own_wanted) = answers(fitted)
    if predicted is None or wanted is None or own is None or own_wanted is None or len(wanted) < LEAST_SCORED:
        return
    if len(val) < len(wanted) or train.width != val.width:
        return
    val = Known(val.features[: len(wanted)] if val.features is not None else None, wanted)
    simple = classified(train, val) if by_class else valued(train, val)
    error = wrong if by_class else squared
    bench.emit(
        Baselines(
            measure="share of wrong classes" if by_class else "mean squared error",
            trained=len(train),
            scored=len(wanted),
            steps=len(losses),
            epochs=round(len(losses) / max(1, len(_once(bench, seen))), 2),
            model_error=float(error(predicted, wanted).mean()),
            model_train_error=float(error(own, own_wanted).mean()),
            noise=_noise(error(predicted, wanted), simple[0][1]),
            scores=tuple(Score(name=name, error=float(each.mean())) for name, each in simple),
            site=line_of(type(model)),
        )
    )


def _once(bench: Bench, batches: list[Batch]) -> list[Batch]:
    """One epoch of them, where it is known how long that is."""
    train: Any = bench.experiment.train
    return batches[: len(train)] if isinstance(train, Sized) else batches


def _known(batches: list[Batch]) -> Known | None:
    """None where the targets are not one number an example."""
    targets: list[torch.Tensor] = []
    for batch in batches:
        target = batch.target
        if not isinstance(target, torch.Tensor) or target.numel() != batch.examples:
            return None
        targets.append(target.reshape(-1).double().cpu())
    known = Known(_table(batches), torch.cat(targets)) if targets else None
    return known if known is not None and bool(torch.isfinite(known.target).all()) else None


def _table(batches: list[Batch]) -> torch.Tensor | None:
    """None where the inputs are ids, of several widths, too wide or not finite: what is left then is a constant."""
    parts = [next((t for t in batch.inputs if t.is_floating_point() and t.ndim >= 2), None) for batch in batches]
    flat = [part.flatten(1).double().cpu() for part in parts if part is not None]
    if len(flat) < len(parts) or len({part.shape[1] for part in flat}) != 1 or flat[0].shape[1] > MOST_FEATURES:
        return None
    table = torch.cat(flat)
    return table if bool(torch.isfinite(table).all()) else None


def wrong(predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return (predicted != wanted).double()


def squared(predicted: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return (predicted - wanted) ** 2


def _noise(one: torch.Tensor, other: torch.Tensor) -> float:
    """Of the mean difference, example by example."""
    return float((one - other).std()) / math.sqrt(len(one)) if len(one) > 1 else math.inf


def classified(train: Known, val: Known) -> list[tuple[str, torch.Tensor]]:
    major = train.target.mode().values
    found = [("majority class", wrong(major.expand(len(val)), val.target))]
    if train.features is None or val.features is None:
        return found
    return [*found, ("linear model", wrong(classes_by_line(train, val.features), val.target))]


def valued(train: Known, val: Known) -> list[tuple[str, torch.Tensor]]:
    """The last value of a row is an answer where it is a better one than the mean: the rows are then a series."""
    found = [("mean", squared(train.target.mean().expand(len(val)), val.target))]
    if train.features is None or val.features is None:
        return found
    last = squared(val.features[:, -1], val.target)
    if last.mean() < found[0][1].mean():
        found.append(("last value", last))
    weights = ridge(_with_one(train, train.features), train.target[:, None])
    return [*found, ("linear model", squared((_with_one(train, val.features) @ weights)[:, 0], val.target))]


def classes_by_line(train: Known, features: torch.Tensor) -> torch.Tensor:
    """Least squares on the classes, one against the rest: close to a logistic fit, and exact in one step."""
    classes, codes = train.target.unique(return_inverse=True)
    assert train.features is not None
    weights = ridge(_with_one(train, train.features), torch.nn.functional.one_hot(codes, len(classes)).double())
    chosen: torch.Tensor = classes[(_with_one(train, features) @ weights).argmax(1)]
    return chosen


def ridge(features: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    gram = features.t() @ features
    eye = torch.eye(len(gram), dtype=gram.dtype) * (RIDGE * len(features))
    weights: torch.Tensor = torch.linalg.solve(gram + eye, features.t() @ target)
    return weights


def _with_one(like: Known, features: torch.Tensor) -> torch.Tensor:
    """Standardised by the training examples, with a column of ones."""
    assert like.features is not None
    scaled = (features - like.features.mean(0)) / like.features.std(0).clamp_min(1e-12)
    return torch.cat([scaled, torch.ones(len(features), 1, dtype=features.dtype)], 1)
