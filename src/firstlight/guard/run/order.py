"""What `firstlight run` tells the guard inside the program: one variable, so that it needs no disk."""

import json
import os

import msgspec

from firstlight.guard.capture.choices import Keep

VARIABLE = "FIRSTLIGHT_GUARD"


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    run: str
    """The run directory, absolute because programs change directory."""
    on_red: str
    """`warn`, `stop`, or `module:function`."""
    keep: Keep = "off"
    keep_every: int = 10
    ignore: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()


def written(order: Order) -> str:
    return json.dumps(msgspec.to_builtins(order))  # also paths that are no Unicode


def current() -> Order | None:
    said = os.environ.get(VARIABLE)
    return msgspec.convert(json.loads(said), Order) if said else None
