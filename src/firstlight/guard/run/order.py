"""What `firstlight run` tells the guard inside the program: one JSON file, named by one variable."""

import os
from pathlib import Path

import msgspec

from firstlight.guard.capture.choices import Keep

VARIABLE = "FIRSTLIGHT_GUARD"
FILE = "guard.json"


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    run: str
    """The run directory, absolute because programs change directory."""
    on_red: str
    """`warn`, `stop`, or `module:function`."""
    keep: Keep = "off"
    keep_every: int = 10
    ignore: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()


def write(order: Order) -> Path:
    path = Path(order.run) / FILE
    path.write_bytes(msgspec.json.encode(order))
    return path


def current() -> Order | None:
    path = os.environ.get(VARIABLE)
    return msgspec.json.decode(Path(path).read_bytes(), type=Order) if path else None
