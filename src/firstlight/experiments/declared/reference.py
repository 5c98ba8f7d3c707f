"""What a loss function would give for made-up answers to the targets seen: none, the best constant, the ideal.

Computed by calling the very function, with its reduction, weights, smoothing and ignored targets.
"""

import math
from dataclasses import dataclass

import torch

from firstlight.experiments.declared.hearing import LossCall

TINY = 1e-13
BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
OVER_CLASSES = ("cross_entropy", "nll_loss")
DISTANCES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
FORMULAS = {
    "cross_entropy": "ln of the number of classes",
    "nll_loss": "ln of the number of classes",
    "binary_cross_entropy": "ln 2",
    "binary_cross_entropy_with_logits": "ln 2, weighted as the loss weighs positives",
    "mse_loss": "the mean square of the targets",
    "l1_loss": "the mean size of the targets",
}
SAYING_NOTHING = ("ctc_loss", "cosine_embedding_loss", "triplet_margin_loss", "margin_ranking_loss")
"""Losses for which no answer says nothing."""


@dataclass(frozen=True)
class Reference:
    """For one call of a loss on real targets."""

    neutral: float | None
    """Of an answer that says nothing: zero scores, even probabilities, zero values."""
    constant: float | None
    """Of the best answer that is the same for every example."""
    floor: float | None
    """Of the ideal answer; None where it is not known."""
    double_activation: float | None
    classes: int | None
    majority_share: float | None


def reference(call: LossCall) -> Reference:
    with torch.no_grad():
        nothing, same, best = neutral(call), constant(call), ideal(call)
        return Reference(
            neutral=None if nothing is None else _value(call, nothing),
            constant=None if same is None else _value(call, same),
            floor=None if best is None else _value(call, best),
            double_activation=_double(call),
            classes=classes_of(call),
            majority_share=majority_share(call),
        )


def formula(call: LossCall) -> str:
    return FORMULAS.get(call.name, f"`{call.name}` of an answer that says nothing")


def _value(call: LossCall, prediction: torch.Tensor) -> float:
    return float(call.again(prediction).float())


def classes_of(call: LossCall) -> int | None:
    if call.name in (*OVER_CLASSES, "multi_margin_loss"):
        return int(call.prediction.shape[1 if call.prediction.ndim > 1 else 0])
    return 2 if call.name in BINARY else None


def kept_labels(call: LossCall) -> torch.Tensor | None:
    """Class targets, without the ignored ones."""
    if call.target.is_floating_point() and call.name not in BINARY:
        return None
    if call.name in BINARY:
        return (call.target > 0.5).long().flatten()
    if call.name not in (*OVER_CLASSES, "multi_margin_loss"):
        return None
    flat = call.target.flatten()
    return flat[flat != call.options.get("ignore_index", -100)]


def majority_share(call: LossCall) -> float | None:
    labels = kept_labels(call)
    if labels is None or not labels.numel():
        return None
    return float(torch.bincount(labels.clamp(min=0)).max() / labels.numel())


def neutral(call: LossCall) -> torch.Tensor | None:
    shape = call.prediction
    if call.name in SAYING_NOTHING:
        return None
    if call.name in ("nll_loss", "kl_div"):
        length = shape.shape[1 if shape.ndim > 1 else 0]
        return torch.full_like(shape, -math.log(max(length, 1)))
    return torch.full_like(shape, 0.5) if call.name == "binary_cross_entropy" else torch.zeros_like(shape)


def constant(call: LossCall) -> torch.Tensor | None:
    """Class frequencies, or the mean or median of the targets."""
    labels = kept_labels(call)
    if call.name in OVER_CLASSES and labels is not None and labels.numel():
        classes = classes_of(call) or 1
        shares = torch.bincount(labels.clamp(0, classes - 1), minlength=classes).to(call.prediction) / labels.numel()
        view = [1, classes] + [1] * (call.prediction.ndim - 2) if call.prediction.ndim > 1 else [classes]
        return (shares + TINY).log().reshape(view).expand_as(call.prediction).contiguous()
    if call.target.shape != call.prediction.shape or not call.target.is_floating_point():
        return None
    if call.name in BINARY:
        share = call.target.mean(0, keepdim=True).clamp(1e-6, 1 - 1e-6)
        return (share if call.name == BINARY[0] else torch.logit(share)).expand_as(call.prediction)
    if call.name in DISTANCES:
        middle = call.target.median(0, keepdim=True).values if call.name == "l1_loss" else None
        return (call.target.mean(0, keepdim=True) if middle is None else middle).expand_as(call.prediction)
    return None


def ideal(call: LossCall, labels: torch.Tensor | None = None) -> torch.Tensor | None:
    """The prediction that this loss likes best for its targets; for other `labels`, where some are given."""
    target = call.target if labels is None else labels
    if call.name in OVER_CLASSES:
        return _class_scores(call, target)
    if target.shape != call.prediction.shape:
        return None
    target = target.to(call.prediction)
    if call.name in BINARY:
        share = target.clamp(1e-6, 1 - 1e-6)
        return share if call.name == BINARY[0] else torch.logit(share)
    return target if call.name in DISTANCES else None


def _class_scores(call: LossCall, target: torch.Tensor) -> torch.Tensor | None:
    axis = 1 if call.prediction.ndim > 1 else 0
    classes = call.prediction.shape[axis]
    if target.is_floating_point():
        return (target + TINY).log() if target.shape == call.prediction.shape else None
    inside = target.clamp(0, classes - 1)
    shares = torch.nn.functional.one_hot(inside, classes).movedim(-1, axis).to(call.prediction.dtype)
    smoothing = float(call.options.get("label_smoothing", 0.0))
    return (shares * (1 - smoothing) + smoothing / classes + TINY).log()


def contrary(call: LossCall) -> torch.Tensor | None:
    """The ideal answer to the opposite of the targets."""
    if call.name in OVER_CLASSES and not call.target.is_floating_point():
        ignored = call.options.get("ignore_index", -100)
        turned = (call.target + 1) % (classes_of(call) or 1)
        return ideal(call, torch.where(call.target == ignored, call.target, turned))
    if call.name in BINARY:
        return ideal(call, 1 - call.target)
    if call.name in DISTANCES and call.target.shape == call.prediction.shape:
        return 2 * call.target.mean() - call.target
    return None


def _double(call: LossCall) -> float | None:
    """Where the loss rests when its ideal scores are probabilities: the activation is applied a second time."""
    labels = kept_labels(call)
    if labels is None or not labels.numel() or call.options.get("reduction", "mean") != "mean":
        return None
    if call.name == "cross_entropy":
        return math.log(math.e + (classes_of(call) or 1) - 1) - 1
    if call.name == "binary_cross_entropy_with_logits":
        positives = float(labels.float().mean())
        return positives * math.log1p(math.exp(-1)) + (1 - positives) * math.log(2)
    return None
