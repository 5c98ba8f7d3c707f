"""The tape of the last step that was taped, from untrusted lines."""

from typing import Any

import msgspec

from firstlight.records import wire
from firstlight.records.taped import TapeSeen

MOST_ROWS = 1000
"""What a page can show."""


class Tapes:
    """Keeps the parts of one backward: the first of the latest step."""

    def __init__(self) -> None:
        self._parts: list[TapeSeen] = []

    def add(self, seen: dict[str, Any]) -> None:
        try:
            tape = wire.convert(seen, TapeSeen)
        except msgspec.ValidationError:
            return
        if not self._parts or tape.step > self._parts[0].step:
            self._parts = [tape]
        elif tape.part == len(self._parts) and tape.site == self._parts[0].site and tape.step == self._parts[0].step:
            self._parts.append(tape)

    def done(self) -> tuple[TapeSeen, ...]:
        kept: list[TapeSeen] = []
        for part in self._parts:
            if sum(len(other.rows) for other in kept) + len(part.rows) <= MOST_ROWS:
                kept.append(part)
        return tuple(kept)
