"""Whether the weights of a model are what its steps made of them, or were begun anew, by whatever means.

A few values of its largest tensors are looked at whenever it is called and stepped. What differs without a step is what
the weights were at an earlier moment (a state that was loaded), or new altogether (layers that were initialised again).
"""

import torch

MOST_FOLLOWED = 4
VALUES = 32
"""Of each tensor, evenly spaced."""
MOST_MOMENTS = 100_000
ANEW = 0.5
"""Change of a tensor's values, as a share of their own size: more is no correction, such as clipping or averaging."""
PLAIN = (torch.Tensor, torch.nn.Parameter)
"""A sharded tensor is not read: that would be a conversation between ranks."""


class WeightsFollowed:
    def __init__(self, module: torch.nn.Module) -> None:
        whole = [p for p in module.parameters() if p.requires_grad and type(p) in PLAIN and p.is_floating_point()]
        self._tensors = sorted(whole, key=torch.Tensor.numel, reverse=True)[:MOST_FOLLOWED]
        self._last: list[torch.Tensor] = []
        self._moments: dict[int, int] = {}
        """What they looked like, and when they did so last."""
        self.moment = 0
        """Steps since the model was first called."""

    @property
    def known(self) -> bool:
        return bool(self._tensors)

    def stepped(self) -> None:
        self.moment += 1
        self._note(self._look())

    def is_begun_anew(self, since: int | None) -> bool:
        """Asked when it is called. `since` is the moment from which on a state that comes back is just the best one."""
        found = self._look()
        before, self._last = self._last, found
        if not before or all(torch.equal(one, other) for one, other in zip(before, found, strict=True)):
            self._note(found)
            return False
        moment = self._moments.get(_digest(found))
        if moment is not None:
            return since is None or moment < since
        changed = [_is_new(one, other) for one, other in zip(before, found, strict=True)]
        return 2 * sum(changed) >= len(changed)

    def _note(self, found: list[torch.Tensor]) -> None:
        self._last = found
        if len(self._moments) < MOST_MOMENTS:
            self._moments[_digest(found)] = self.moment

    def _look(self) -> list[torch.Tensor]:
        """All in one transfer, where they are on one device."""
        flat = [tensor.detach().reshape(-1) for tensor in self._tensors]
        some = [one[:: max(1, len(one) // VALUES)][:VALUES].float() for one in flat]
        if len({one.device for one in some}) > 1:
            some = [one.cpu() for one in some]
        whole = torch.cat(some).to("cpu", copy=True)
        return list(whole.split([len(one) for one in some]))


def _digest(found: list[torch.Tensor]) -> int:
    return hash(tuple(value for part in found for value in part.tolist()))


def _is_new(before: torch.Tensor, after: torch.Tensor) -> bool:
    return not float((after - before).norm()) <= ANEW * float(before.norm())
