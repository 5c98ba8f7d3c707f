"""Whether what the models are fed is all of a tensor that the program keeps, made anew for each step.

Training on all examples at once is no stale batch, whether its tensor is given as it is, cloned so that its gradient
can be taken, or scaled on the way. What a loader or an index takes out of it is another matter.
"""

import weakref

import torch

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.taps.looks import STEPS
from firstlight.observe.inside.taps.models import Call
from firstlight.records.taped import WholeFed

MOST_FED = 1024


class WholeBatch:
    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self.observer = observer
        self.recorder = recorder
        self._fed: list[weakref.ref[torch.Tensor] | None] = []
        """The roots of what models were given since the last backward; None for what has none."""
        self._roots: list[weakref.ref[torch.Tensor]] = []
        """Of the last look."""
        self._looked = -1

    def model_returned(self, call: Call) -> None:
        if not call.training or not self._looks():
            return
        for tensor in call.inputs[: MOST_FED - len(self._fed)]:
            if tensor.numel() > 1:
                root = root_of(tensor, self.recorder)
                self._fed.append(weakref.ref(root) if root is not None else None)

    def backward_begins(self, *_: object) -> None:
        fed, self._fed = self._fed, []
        if not self._looks():
            return
        self._looked = self.observer.step
        roots = [root for root in fed if root is not None and root() is not None]
        known = [one() for one in self._roots]
        if roots and len(roots) == len(fed) and all(any(root() is one for one in known) for root in roots):
            self.observer.emit(WholeFed())
        self._roots = roots

    def _looks(self) -> bool:
        step = self.observer.step
        return step in STEPS and step != self._looked and not self.observer.light


def root_of(tensor: torch.Tensor, recorder: Recorder) -> torch.Tensor | None:
    """The tensor that it was computed from alone, value by value; None where something was left out or came in."""
    root = tensor
    while (made := recorder.made(root)) is not None and made[0].inputs:
        if len(made[0].inputs) != 1 or made[0].writes:
            return None
        root = made[0].inputs[0][0]
    return root if root.numel() == tensor.numel() else None


def install(observer: Observer, recorder: Recorder) -> None:
    whole = WholeBatch(observer, recorder)
    observer.moments.model_returned.append(observer.shielded("looks", whole.model_returned))
    observer.moments.backward_begins.append(observer.shielded("looks", whole.backward_begins))
