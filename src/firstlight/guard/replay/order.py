"""What the replaying command tells the replayed program: one file in the run directory."""

from pathlib import Path
from typing import Literal

import msgspec

FILE = "replay.json"
REPRO = "repro.py"
Precision = Literal["original", "float32"]


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    artifact: str
    """Its folder, absolute."""
    precision: Precision

    def write(self, run: Path) -> None:
        (run / FILE).write_bytes(msgspec.json.encode(self))


def read(run: Path) -> Order:
    return msgspec.json.decode((run / FILE).read_bytes(), type=Order)
