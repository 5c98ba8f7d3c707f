"""Calls of torch's own loss functions: what they were given, and what made it."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import graph, reading, sites
from firstlight.observe.inside.echo import Asked
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.handlers import Handlers, argument
from firstlight.records.places import Site
from firstlight.records.training import LossCall

OVER_CLASSES = ("cross_entropy", "nll_loss", "kl_div")
FUNCTIONS = (
    *OVER_CLASSES,
    *[
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "poisson_nll_loss",
        "gaussian_nll_loss",
        "hinge_embedding_loss",
        "soft_margin_loss",
        "multilabel_soft_margin_loss",
        "multi_margin_loss",
        "multilabel_margin_loss",
        "cosine_embedding_loss",
        "triplet_margin_loss",
        "margin_ranking_loss",
        "ctc_loss",
    ],
)
MOST_CALLS_A_SITE = 24
MOST_CLASSES = 64


@dataclass(frozen=True)
class Given:
    """What a loss function was called with."""

    function: str
    prediction: torch.Tensor
    target: torch.Tensor | None
    options: dict[str, Any]


class Losses:
    def __init__(self, observer: Observer, walked: Walked) -> None:
        self.observer, self.walked = observer, walked
        self._calls: Counter[tuple[str, Site | None, bool]] = Counter()

    def called(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], value: Any) -> None:
        prediction = argument(args, kwargs, 0, "input")
        target = argument(args, kwargs, 1, "target")
        if not isinstance(prediction, torch.Tensor) or not reading.readable(prediction):
            return
        training = prediction.requires_grad
        site = sites.caller(2)
        self._calls[name, site, training] += 1
        if training and isinstance(target, torch.Tensor):
            self.walked.asked.append(_asked(target, kwargs))
        if self._calls[name, site, training] <= MOST_CALLS_A_SITE:
            given = Given(name, prediction, target if isinstance(target, torch.Tensor) else None, kwargs)
            self.observer.emit(self._record(given, site, _number(value)))

    def _record(self, given: "Given", site: Site | None, value: float | None) -> LossCall:
        prediction, target = given.prediction, given.target
        made_by, node = graph.activation_behind(prediction)
        made_at = self.walked.lines.get(node) if node is not None else None
        (wanted, answered), (counts, weighed) = _counted(given), _weighed(given)
        sums = _class_errors(prediction) if given.function in OVER_CLASSES else (None, None)
        return LossCall(
            step=self.observer.step,
            rank=rank(),
            function=given.function,
            site=made_at if made_at is not None and sites.is_stand_in(site) else site,
            training=prediction.requires_grad,
            prediction=reading.card(prediction),
            target=reading.card(target) if target is not None else None,
            value=value,
            made_by=made_by,
            made_at=made_at,
            class_sum_error=sums[0],
            class_logsum_error=sums[1],
            target_sum_error=_target_error(given),
            reduction=str(given.options.get("reduction", "mean")),
            ignored=_ignored(given),
            weighted=given.options.get("weight") is not None or given.options.get("pos_weight") is not None,
            classes=wanted,
            answers=answered,
            counts=counts,
            weighed=weighed,
            **_answers(given),
        )


NONE: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


def _counted(given: Given) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How often each class is wanted and answered, where classes are few."""
    prediction, target = reading.values_of(given.prediction), given.target
    if target is None or not target.numel() or not reading.readable(target) or target.numel() > reading.MOST_ELEMENTS:
        return NONE
    if given.options.get("reduction") == "none":  # weighed by the program itself
        return NONE
    target = target.detach()
    if given.function.startswith("binary_cross_entropy") and target.shape == prediction.shape:
        whole = bool(((target == 0) | (target == 1)).all())
        border = 0.0 if given.function.endswith("logits") else 0.5
        return _tallies(target.long(), (prediction > border).long(), 2) if whole else NONE
    few = prediction.ndim > 1 and prediction.shape[1] <= MOST_CLASSES
    if given.function not in ("cross_entropy", "nll_loss") or target.is_floating_point() or not few:
        return NONE
    classes = prediction.shape[1]
    known = (target >= 0) & (target < classes) & (target != given.options.get("ignore_index", -100))
    return _tallies(target[known], prediction.argmax(1)[known], classes)


def _weighed(given: Given) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """How often each class is the target, and what that comes to with the weights that the loss is given."""
    target, weights = given.target, given.options.get("weight")
    if target is None or not target.numel() or not reading.readable(target) or target.numel() > reading.MOST_ELEMENTS:
        return NONE
    if given.function == "binary_cross_entropy_with_logits":
        weight = given.options.get("pos_weight")
        if not isinstance(weight, torch.Tensor) or bool(((target != 0) & (target != 1)).any()):
            return NONE
        negative = float((target == 0).sum())
        return (negative, float(target.sum())), (negative, float((target * weight).sum()))
    if given.function not in ("cross_entropy", "nll_loss") or target.is_floating_point():
        return NONE
    if not isinstance(weights, torch.Tensor) or len(weights) > MOST_CLASSES:
        return NONE
    known = target[(target >= 0) & (target < len(weights)) & (target != given.options.get("ignore_index", -100))]
    found = torch.bincount(known.reshape(-1), minlength=len(weights)).double()
    return tuple(found.tolist()), tuple((found * weights).tolist())


def _tallies(target: torch.Tensor, answer: torch.Tensor, classes: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    both = torch.stack([torch.bincount(each.reshape(-1), minlength=classes) for each in (target, answer)]).tolist()
    return tuple(both[0]), tuple(both[1])


def _number(value: Any) -> float | None:
    return reading.number(value) if isinstance(value, torch.Tensor) and value.numel() == 1 else None


def _asked(target: torch.Tensor, options: dict[str, Any]) -> Asked:
    counted = options.get("reduction", "mean") != "none" and options.get("weight") is None
    return Asked(target.detach() if target.requires_grad else target, options.get("ignore_index", -100), counted)


def _class_errors(prediction: torch.Tensor) -> tuple[float | None, float | None]:
    found = reading.sample_of(prediction).double()
    dim = 1 if found.ndim > 1 else 0
    if found.numel() == 0:
        return None, None
    sums, logsums = found.sum(dim), found.logsumexp(dim)
    error, log_error = torch.stack([(sums - 1).abs().max(), logsums.abs().max()]).tolist()
    return error, log_error


def _target_error(given: Given) -> float | None:
    """For class probabilities given as the target: how far a row's sum is from 1."""
    target = given.target
    if given.function != "cross_entropy" or target is None or not target.is_floating_point():
        return None
    if target.shape != given.prediction.shape or target.numel() == 0:
        return None
    found = reading.sample_of(target).double()
    return float((found.sum(1 if found.ndim > 1 else 0) - 1).abs().max().item())


def _answers(given: Given) -> dict[str, float]:
    target = given.target
    if given.function not in ("cross_entropy", "nll_loss") or target is None or target.is_floating_point():
        return {}
    found = reading.sample_of(target)
    found = found[found != given.options.get("ignore_index", -100)]
    if not found.numel():
        return {}
    low, high = torch.stack([found.min(), found.max()]).tolist()
    return {"lowest": float(low), "highest": float(high)}


def _ignored(given: Given) -> float:
    target = given.target
    if given.function not in ("cross_entropy", "nll_loss") or target is None or target.is_floating_point():
        return 0.0
    found = reading.sample_of(target)
    return float((found == given.options.get("ignore_index", -100)).float().mean().item()) if found.numel() else 0.0


def handlers(observer: Observer, walked: Walked) -> Handlers:
    losses = Losses(observer, walked)
    return Handlers(after=dict.fromkeys(FUNCTIONS, losses.called))
