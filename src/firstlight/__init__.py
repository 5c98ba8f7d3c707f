"""Finds what is broken in a training program before you spend machine time on it."""

TYPE_CHECKING = False  # `typing` alone would take longer than the rest of this module
if TYPE_CHECKING:
    from typing import Any

    from firstlight import integrations as integrations
    from firstlight.data.asking import check_data as check_data
    from firstlight.errors import RedFlagError as RedFlagError
    from firstlight.errors import SchemaError as SchemaError
    from firstlight.experiments.declared.experiment import Experiment as Experiment
    from firstlight.experiments.declared.invariants import Invariant as Invariant
    from firstlight.experiments.declared.selection import BestEpoch as BestEpoch
    from firstlight.experiments.declared.selection import EpochSelector as EpochSelector
    from firstlight.guard.attach import guard as guard
    from firstlight.guard.capture.choices import Capturing as Capturing
    from firstlight.guard.journal import Retention as Retention
    from firstlight.schema import Column as Column
    from firstlight.schema import validate_schema as validate_schema
    from firstlight.survey import gate as gate
    from firstlight.survey import preflight as preflight

__version__ = "0.2.0"

_PUBLIC = {
    "BestEpoch": "firstlight.experiments.declared.selection",
    "Capturing": "firstlight.guard.capture.choices",
    "Column": "firstlight.schema",
    "EpochSelector": "firstlight.experiments.declared.selection",
    "Experiment": "firstlight.experiments.declared.experiment",
    "Invariant": "firstlight.experiments.declared.invariants",
    "RedFlagError": "firstlight.errors",
    "Retention": "firstlight.guard.journal",
    "SchemaError": "firstlight.errors",
    "check_data": "firstlight.data.asking",
    "gate": "firstlight.survey",
    "guard": "firstlight.guard.attach",
    "preflight": "firstlight.survey",
    "validate_schema": "firstlight.schema",
}
"""Imported on first use: `import firstlight` costs nothing and brings nothing with it."""

__all__ = [
    "BestEpoch",
    "Capturing",
    "Column",
    "EpochSelector",
    "Experiment",
    "Invariant",
    "RedFlagError",
    "Retention",
    "SchemaError",
    "__version__",
    "check_data",
    "gate",
    "guard",
    "integrations",
    "preflight",
    "validate_schema",
]


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name == "integrations":
        return import_module("firstlight.integrations")
    if name not in _PUBLIC:
        raise AttributeError(f"module 'firstlight' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
