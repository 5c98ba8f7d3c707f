"""Which stored examples the models are fed: by the tape, or by the rows that a loader asked its dataset for."""

from collections.abc import Sequence
from typing import Any

import torch

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.origin import Origins
from firstlight.observe.inside.tape.recorder import Mark, Recorder
from firstlight.observe.inside.tape.taken import Codes


class StoredRows:
    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self.observer, self.recorder = observer, recorder
        self._origins = Origins()
        self._loaded: Codes = ()

    def batch_given(self, loader: Any, _batch: object) -> None:
        self._loaded = tuple(self._origins.of(loader, self.observer.batch_rows))

    def rows(self, fed: Sequence[torch.Tensor]) -> Codes | None:
        """One for each example of the first tensor; None where they are not known."""
        for tensor in fed:
            if len(tensor) == len(fed[0]) and (found := self.recorder.rows_of(tensor)) is not None:
                return found
        loaded = bool(fed) and len(self._loaded) == len(fed[0]) and not self._is_drawn(fed[0])
        return self._loaded if loaded else None

    def _is_drawn(self, tensor: torch.Tensor) -> bool:
        made = self.recorder.made(tensor)
        return made is not None and bool(made[0].marks & Mark.DRAWN) and not made[0].marks & Mark.DATA
