"""Masks given to scaled_dot_product_attention: who may look at whom."""

from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.handlers import Handlers, argument
from firstlight.records.training import Attention

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.backward import Walked

MOST_CALLS = 12
MOST_PAIRS = 1 << 20


class Masks:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._calls = 0

    def attended(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        mask = argument(args, kwargs, 3, "attn_mask")
        if not isinstance(mask, torch.Tensor) or mask.ndim < 2 or self._calls >= MOST_CALLS:
            return
        self._calls += 1
        queries, keys = mask.shape[-2], mask.shape[-1]
        if queries * keys > MOST_PAIRS:
            return
        allowed = mask if mask.dtype == torch.bool else torch.isfinite(mask) & (mask > -1e4)
        allowed = allowed.reshape(-1, queries, keys)[0].double()
        below, above = allowed.tril(-1), allowed.triu(1)
        pairs = max(1.0, queries * (queries - 1) / 2) if queries == keys else max(1.0, queries * keys / 2)
        past, future = torch.stack([below.sum() / pairs, above.sum() / pairs]).tolist()
        self.observer.emit(
            Attention(
                step=self.observer.step,
                rank=rank(),
                site=sites.caller(2),
                queries=queries,
                keys=keys,
                sees_past=past,
                sees_future=future,
            )
        )


def handlers(observer: "Observer", _walked: "Walked") -> Handlers:
    masks = Masks(observer)
    return Handlers(after={"scaled_dot_product_attention": masks.attended})
