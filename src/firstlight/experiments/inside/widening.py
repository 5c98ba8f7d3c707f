"""Does the answer to a sequence change when its batch is padded further?

A batch is as wide as its longest sequence. What a sequence is answered should not depend on which others it came with:
with as much padding again behind every row, the answers of a model that leaves padding out stay what they are.
"""

from collections.abc import Callable

import torch

from firstlight.experiments.inside.asking import LEAST_LENGTH, LEAST_ROWS, Asked, answer
from firstlight.observe.inside.echo import tails
from firstlight.records.timelines import Dependence

LEAST_TAIL = 2
"""Places of padding at the end of a row: one alone may be the last word of it."""
MOVED = 0.1
"""Of what answers differ by from one example to the next."""


def widened(asked: Asked, first: torch.Tensor) -> Dependence | None:
    """For models that give one answer to a whole sequence of ids."""
    for ids in asked.call.inputs:
        if ids.ndim != 2 or ids.is_floating_point() or ids.dtype is torch.bool or not _one_answer(first, ids):
            continue
        padding, lengths = tails(ids)
        padded = lengths >= LEAST_TAIL
        if int(padded.sum()) < LEAST_ROWS or len(torch.unique(lengths)) < LEAST_ROWS:
            continue
        made = answer(asked, _wider(ids, padding, int(lengths.argmax())))
        if made is None or made.shape != first.shape:
            continue
        moved = (made - first).reshape(len(first), -1).norm(dim=1)
        apart = (first - first.mean(0)).reshape(len(first), -1).norm(dim=1).mean()
        count = int((moved[padded] > MOVED * apart).sum())
        return Dependence(step=0, kind="width", site=asked.site, own=True, others=count, of=int(padded.sum()))
    return None


def _one_answer(made: torch.Tensor, ids: torch.Tensor) -> bool:
    rows, width = ids.shape
    whole = width >= LEAST_LENGTH and made.ndim in (1, 2) and len(made) == rows
    return whole and (made.ndim == 1 or made.shape[1] != width)


def _wider(ids: torch.Tensor, padding: int, row: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Whatever is as long as the ids, a mask say, goes on as it is where they are padded: at the end of that row."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.shape[:2] != ids.shape:
            return tensor
        more = tensor[row : row + 1, -1:].expand_as(tensor) if tensor is not ids else torch.full_like(ids, padding)
        return torch.cat([tensor, more], 1)

    return change
