"""How often to look: at every step, unless looking would take more than its share of the time."""

import math

SETTLE = 16
"""Looks after which the costs are known; until then every step is looked at."""
SMOOTHING = 0.1
WIDEST = 1000


class Pace:
    """A step of a small model takes a fraction of a millisecond, and a look at it as much: it is looked at rarely."""

    def __init__(self, share: float | None) -> None:
        """`share` of a step's time that looking may take; None looks at every step, whatever it costs."""
        self._share = share
        self.stride = 1
        self._next = self._looks = 0
        self._look_s = self._step_s = 0.0

    def is_due(self, step: int) -> bool:
        return self._share is None or step >= self._next

    def hurries(self) -> None:
        """Something is odd: the next step is looked at."""
        self._next = 0

    def took(self, step: int, look_s: float | None, step_s: float | None) -> None:
        """One step is over; `look_s` is what the look at it cost, None where there was none."""
        if step_s is not None:
            self._step_s = _smoothed(self._step_s, max(0.0, step_s - (look_s or 0.0)))
        if look_s is None:
            return
        self._looks += 1
        self._look_s = _smoothed(self._look_s, look_s)
        if self._share and self._looks >= SETTLE and self._step_s > 0:
            self.stride = min(WIDEST, max(1, math.ceil(self._look_s / (self._share * self._step_s))))
        self._next = step + self.stride


def _smoothed(before: float, now: float) -> float:
    return now if before == 0 else before + SMOOTHING * (now - before)
