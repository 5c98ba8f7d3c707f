"""Steers which examples a loader gives: a part of the data set to train on, and another that is only asked about.

The loader keeps its pace, so that a program makes as many steps on a tenth of the data as on all of it.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import IterableDataset
from torch.utils.data.dataloader import _BaseDataLoaderIter

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

HELD_OUT = 0.2
"""Share of the examples that are never trained on, the same ones in every copy."""
ORDER_SEED = 11


def train_on_part(observer: "Observer", value: str) -> None:
    """`SHARE:TAIL[:SEED]`: that share of what is not held out; the last TAIL steps are fed from what is, and undone."""
    words = value.split(":")
    share, tail = float(words[0]), int(words[1])
    draw = int(words[2]) if len(words) > 2 else 0
    source, last = observer.last_batch[0], observer.spec.steps - tail
    streams: dict[str, Iterator[int]] = {}
    original: Any = _BaseDataLoaderIter._next_index

    def next_index(self: Any) -> Any:
        indices = original(self)
        if id(getattr(self, "firstlight_loader", None)) != source or isinstance(self._dataset, IterableDataset):
            return indices
        if not streams:
            streams.update(_streams(len(self._dataset), share, draw))
        stream = streams["held" if observer.step >= last else "train"]
        return [next(stream) for _ in indices] if isinstance(indices, list) else next(stream)

    _BaseDataLoaderIter._next_index = next_index  # type: ignore[method-assign]
    if tail:
        _only_ask(observer, last)


def _streams(examples: int, share: float, draw: int) -> dict[str, Iterator[int]]:
    order = torch.randperm(examples, generator=torch.Generator().manual_seed(ORDER_SEED), device="cpu").tolist()
    held = max(1, int(HELD_OUT * examples))
    rest = order[held:]
    chosen = torch.randperm(len(rest), generator=torch.Generator().manual_seed(draw), device="cpu").tolist()
    part = [rest[place] for place in chosen[: max(1, round(share * len(rest)))]]
    return {"held": _again_and_again(order[:held], 1), "train": _again_and_again(part, 2)}


def _again_and_again(indices: Sequence[int], seed: int) -> Iterator[int]:
    """In another order each time."""
    generator = torch.Generator().manual_seed(seed)
    while True:
        for place in torch.randperm(len(indices), generator=generator, device="cpu").tolist():
            yield indices[place]


def _only_ask(observer: "Observer", last: int) -> None:
    """From that step on the models are in eval mode, and what an optimizer does to the weights is undone."""
    kept: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = {}

    def settle(module: torch.nn.Module, _given: Any) -> None:
        if observer.step >= last and module.training:
            module.eval()

    def keep(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if observer.step >= last:
            held = [p for group in optimizer.param_groups for p in group["params"]]
            kept[id(optimizer)] = [(p, p.detach().clone()) for p in held]

    def undo(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        with torch.no_grad(), contextlib.suppress(RuntimeError):
            for parameter, value in kept.pop(id(optimizer), []):
                parameter.copy_(value)

    torch.nn.modules.module.register_module_forward_pre_hook(settle)
    observer.moments.step_begins.append(keep)
    observer.moments.step_ended.append(undo)
