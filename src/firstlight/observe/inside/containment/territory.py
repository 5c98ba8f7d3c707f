"""Which places are held back."""

import os
from pathlib import Path

KERNEL = ("/dev/", "/proc/", "/sys/")


class Territory:
    """The longest prefix decides; a place under no prefix is held."""

    def __init__(self, passes: tuple[Path, ...], holds: tuple[Path, ...]) -> None:
        self._passes = _prefixes((*passes, *map(Path, KERNEL)))
        self._holds = _prefixes(holds)

    def hold(self, place: str) -> None:
        """From now on, also where it was passed."""
        self._passes = tuple(prefix for prefix in self._passes if prefix != f"{place}/")
        self._holds = (*self._holds, f"{place}/")

    def held(self, place: str) -> bool:
        tested = place + "/"
        if not tested.startswith(self._passes):
            return True
        return _longest(tested, self._holds) > _longest(tested, self._passes)


def _prefixes(paths: tuple[Path, ...]) -> tuple[str, ...]:
    spellings = {spelling for path in paths for spelling in (os.path.abspath(path), os.path.realpath(path))}
    return tuple(f"{spelling.rstrip('/')}/" for spelling in spellings)


def _longest(tested: str, prefixes: tuple[str, ...]) -> int:
    return max((len(prefix) for prefix in prefixes if tested.startswith(prefix)), default=0)
