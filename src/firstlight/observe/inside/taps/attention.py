"""Masks of attention: who may look at whom, and whether what is hidden is the padding."""

from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.handlers import Handlers, argument
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.training import Attention, KeysMasked

MOST_CALLS = 12
MOST_PAIRS = 1 << 20
HIDDEN = -1e4
"""What is added to a score, or takes its place, from which on down nothing of it is left."""
LEAST_AXES = 3
"""Of a mask with a row for each example: that, the one who looks, and what is looked at."""


class Masks:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._calls = 0
        self._rows: list[tuple[Site | None, torch.Tensor]] = []
        """Since a model was called: which keys may be looked at, for each example, and the line that says so."""

    def attended(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        mask = argument(args, kwargs, 3, "attn_mask")
        if not isinstance(mask, torch.Tensor) or mask.ndim < 2 or self._calls >= MOST_CALLS:
            return
        self._calls += 1
        queries, keys = mask.shape[-2], mask.shape[-1]
        if queries * keys > MOST_PAIRS:
            return
        allowed = mask if mask.dtype == torch.bool else mask > HIDDEN
        self._keep(allowed)
        allowed = allowed.reshape(-1, queries, keys)[0].double()
        below, above = allowed.tril(-1), allowed.triu(1)
        pairs = max(1.0, queries * (queries - 1) / 2) if queries == keys else max(1.0, queries * keys / 2)
        past, future = torch.stack([below.sum() / pairs, above.sum() / pairs]).tolist()
        self.observer.emit(
            Attention(site=sites.caller(2), queries=queries, keys=keys, sees_past=past, sees_future=future)
        )

    def padded(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """To torch's own layers; True means hidden."""
        mask = kwargs.get("key_padding_mask")
        if isinstance(mask, torch.Tensor) and mask.ndim == LEAST_AXES - 1:
            allowed = ~mask if mask.dtype == torch.bool else mask > HIDDEN
            self._keep(allowed.unsqueeze(1))

    def filled(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """By hand: scores that are hidden are made as low as can be."""
        mask, value = argument(args, kwargs, 1, "mask"), argument(args, kwargs, 2, "value")
        if isinstance(mask, torch.Tensor) and isinstance(value, int | float) and value <= HIDDEN:
            self._keep(~mask.bool())

    def _keep(self, allowed: torch.Tensor) -> None:
        for_each = allowed.ndim >= LEAST_AXES and len(allowed) > 1 and allowed.numel() <= MOST_PAIRS
        if for_each and self._calls + len(self._rows) < MOST_CALLS and reading.readable(allowed):
            keys = allowed.reshape(len(allowed), -1, allowed.shape[-1]).any(1)
            self._rows.append((sites.caller(2), keys))

    def returned(self, call: Call) -> None:
        """What the model was given tells which ids lie where the mask hides and where it does not."""
        rows, self._rows = self._rows, []
        ids = [t for t in call.inputs if t.ndim == LEAST_AXES - 1 and t.dtype in (torch.int64, torch.int32)]
        for site, keys in rows if call.training else ():
            given = next((one for t in ids for one in (t, t.T) if one.shape == keys.shape), None)
            if given is not None and reading.readable(given):
                self._calls += 1
                kept, blocked = (len(given[places].unique()) for places in (keys, ~keys))
                self.observer.emit(KeysMasked(site=site, examples=len(keys), kept=kept, blocked=blocked))


def handlers(observer: Observer, _walked: Walked) -> Handlers:
    masks = Masks(observer)
    observer.moments.model_returned.append(observer.shielded("attention", masks.returned))
    return Handlers(
        after={
            "scaled_dot_product_attention": masks.attended,
            "multi_head_attention_forward": masks.padded,
            "masked_fill": masks.filled,
        }
    )
