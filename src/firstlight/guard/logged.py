"""What the program tells by `guard.log`, held until the step under way has ended."""

from collections.abc import Callable, Mapping
from typing import Any

import torch


class Logged:
    def __init__(self, refused: Callable[[str, Any], None]) -> None:
        """`refused` is told of what is no number: a run is not ended for a slip in what it logs."""
        self._numbers: dict[str, float] = {}
        self._refused = refused

    def add(self, given: Mapping[str, Any]) -> None:
        """None is no number and no slip: nothing was evaluated at this step."""
        for name, value in given.items():
            if value is None:
                continue
            try:
                self._numbers[name] = number_of(value)
            except (TypeError, ValueError, RuntimeError):
                self._refused(name, value)

    def take(self) -> tuple[float | None, dict[str, float]]:
        """The loss, and everything else."""
        numbers, self._numbers = self._numbers, {}
        return numbers.pop("loss", None), numbers


def number_of(value: Any) -> float:
    return float(value.detach().item() if isinstance(value, torch.Tensor) else value)
