"""What the model says of the one batch it is learning by heart, look by look: for the page, judged by no check."""

from typing import Any

import torch

from firstlight.experiments.inside.choices import sum_to_one
from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.events import PredictionTable

LOOKS = frozenset((0, 1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 110, 149))
"""Steps, closer at first, when most changes."""
MOST_EXAMPLES = 16


def follow(observer: Observer, batch: Any) -> None:
    """Only where the batch has one class for each example, and an output has a score for each class."""
    classes = [t for t in reading.tensors_in(batch) if t.ndim == 1 and len(t) > 1 and _whole(t)]
    if not classes:
        return
    truth: list[int] = classes[-1].tolist()
    told: set[int] = set()

    def returned(call: Call) -> None:
        step = observer.step
        if step not in LOOKS or step in told or not call.training:
            return
        scores = next((t for t in reading.tensors_in(call.output) if _scores(t, truth)), None)
        if scores is not None:
            told.add(step)
            _tell(observer, scores.detach()[:MOST_EXAMPLES].float(), truth)

    observer.moments.model_returned.append(observer.shielded("recital", returned))


def _whole(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def _scores(tensor: torch.Tensor, truth: list[int]) -> bool:
    fits = tensor.ndim == 2 and len(tensor) == len(truth) and min(truth) >= 0 and max(truth) < tensor.shape[1]
    return fits and tensor.is_floating_point() and reading.readable(tensor)


def _tell(observer: Observer, scores: torch.Tensor, truth: list[int]) -> None:
    sure, said = (scores if sum_to_one(scores) else scores.softmax(1)).max(1)
    confidence = sure.tolist()
    rows = [[n, truth[n], said, confidence[n]] for n, said in enumerate(said.tolist())]
    observer.note(
        PredictionTable,
        step=observer.step,
        rows=rows,
        confidence_mean=sum(confidence) / len(confidence),
        confidence_min=min(confidence),
        confidence_max=max(confidence),
    )
