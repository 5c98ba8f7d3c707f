"""All windows of one run."""

from collections.abc import Collection
from typing import Any

from firstlight.facts.live.turning import Turning
from firstlight.records.telemetry import StepRow


class Windows:
    def __init__(self, rank: int = 0) -> None:
        self.rank = rank
        self._turning: dict[int, Turning] = {}

    def sees(self, row: StepRow, bad_names: tuple[str, ...] = (), tensors: int = 0) -> list[Any]:
        """Facts that cannot wait."""
        turned = self._turning.setdefault(row.optimizer, Turning()).sees(row, self.rank, bad_names, tensors)
        return [] if turned is None else [turned]

    def due(self, row: StepRow, every: int) -> bool:
        return row.step % every == every - 1

    def facts(self, needs: Collection[type]) -> list[Any]:
        return []
