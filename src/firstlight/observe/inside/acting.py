"""Whether a function is given actions: an environment answers to what the program does, and a data set does not."""

from collections.abc import Sequence
from typing import Any

MOST_CHOICES = 64
"""Whole numbers that may be chosen from; more are rows or steps, which are counted on."""
AGAIN = 2
"""Times that a choice comes, in the mean: a row comes once in each pass."""
MOST_AXES = 2
MOST_READ = 256


class Actions:
    def __init__(self) -> None:
        self.acted = False
        self._chosen: dict[int, set[float]] = {}
        """By the argument's place, and below, how many were seen."""
        self._seen: dict[int, int] = {}

    def saw(self, arguments: Sequence[Any], ends: int) -> None:
        """What a call was given that told the ends of so many episodes: it has an action for each."""
        for place, argument in enumerate(arguments if not self.acted else ()):
            values = _values(argument, ends)
            chosen = self._chosen.setdefault(place, set())
            if len(chosen) <= MOST_CHOICES:
                chosen.update(values)
            self._seen[place] = self._seen.get(place, 0) + len(values)
            self.acted = self.acted or self._are_actions(place)

    def _are_actions(self, place: int) -> bool:
        chosen = self._chosen[place]
        if len(chosen) < AGAIN:
            return False
        measured = any(not one.is_integer() for one in chosen)
        return measured or (len(chosen) <= MOST_CHOICES and self._seen[place] >= AGAIN * len(chosen))


def _values(argument: Any, ends: int) -> list[float]:
    """Numbers, one or a row of them for each end; nothing where it is something else."""
    if isinstance(argument, int | float):
        return [float(argument)] if ends == 1 else []
    if isinstance(argument, list | tuple):
        return [float(one) for one in argument[:MOST_READ] if isinstance(one, int | float)]
    kind = str(getattr(argument, "dtype", "")).removeprefix("torch.")
    axes = getattr(argument, "ndim", MOST_AXES + 1)
    if not kind.startswith(("float", "int", "uint", "bool")) or axes > MOST_AXES:
        return []
    if ends > 1 and (axes == 0 or len(argument) != ends):
        return []
    return [float(one) for one in argument.reshape(-1)[:MOST_READ].tolist()]
