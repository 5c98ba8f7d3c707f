"""One JSON object a line on standard output, for whatever reads the program's."""

import sys
from typing import TYPE_CHECKING, Any

from firstlight.records import wire
from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class Lines:
    def __init__(self, guard: "Guard") -> None:
        self._rank = guard.rank

    def step(self, row: StepRow) -> None:
        self._write({"firstlight": "step", "rank": self._rank, **wire.to_plain(row)})

    def flag(self, trip: Trip) -> None:
        self._write({"firstlight": "red_flag", "rank": self._rank, **wire.to_plain(trip)})

    def close(self) -> None:
        sys.stdout.flush()

    def _write(self, line: dict[str, Any]) -> None:
        sys.stdout.write(wire.encode(line).decode() + "\n")
