"""What the user chose to be kept of a run for the case that it trips."""

from dataclasses import dataclass
from typing import Literal

from firstlight.errors import UsageError
from firstlight.store import artifacts

Keep = Literal["off", "host", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capturing:
    keep: Keep = "off"
    """Where copies of the weights and the optimizer state of the last good steps are held, if anywhere.

    Without them the state from before a bad step is still captured on the CPU, where a bad gradient is known before the
    weights move. On a device it is known later; what is captured then is the state after it.
    """
    every: int = 10
    """Steps from one copy to the next."""
    batches: bool = True
    """Whether inputs are written: they may be nobody else's business."""
    most_bytes: int = artifacts.MOST_BYTES
    most_artifacts: int = 4

    def __post_init__(self) -> None:
        if self.keep not in ("off", "host", "device"):
            raise UsageError(f"keep is {self.keep!r}; it takes 'off', 'host' or 'device'.")
        if type(self.every) is not int or self.every < 1:
            raise UsageError(f"every is {self.every!r}; it takes a whole number of steps from 1 on.")
