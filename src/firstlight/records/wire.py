"""Records to JSON and back, without losing the numbers that matter most.

JSON has no NaN or infinity and libraries silently write `null`. Here they are the strings "NaN", "Infinity" and
"-Infinity", in every file we write and in the published schemas; in memory they are ordinary floats.
"""

import math
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

NON_FINITE = ("NaN", "Infinity", "-Infinity")


def encode(record: Any) -> bytes:
    """Names of files need not be Unicode: of those, what cannot be said is written as an escape."""
    plain = to_plain(record)
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return msgspec.json.encode(_sayable(plain))


def _sayable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_sayable(key): _sayable(item) for key, item in value.items()}
    return [_sayable(item) for item in value] if isinstance(value, list) else value


def decode(data: bytes | str, kind: type[T]) -> T:
    """Lax on purpose: a number written as a string is how non-finite values travel."""
    return msgspec.json.decode(data, type=kind, strict=False)


def convert(plain: Any, kind: type[T]) -> T:
    return msgspec.convert(plain, type=kind, strict=False)


def to_plain(record: Any) -> Any:
    return _name_non_finite(msgspec.to_builtins(record))


def _name_non_finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else name_of(value)
    if isinstance(value, dict):
        return {key: _name_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_name_non_finite(item) for item in value]
    return value


def name_of(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def number(value: Any) -> float | None:
    """A number as it stands in a line of ours: three strings are numbers, truth values are not."""
    if isinstance(value, str):
        return float(value) if value in NON_FINITE else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def schema_of(kind: Any, identifier: str) -> dict[str, Any]:
    """JSON Schema in which every number may also be one of the three strings."""
    schema = _admit_non_finite(msgspec.json.schema(kind))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identifier, **schema}


def _admit_non_finite(node: Any) -> Any:
    if isinstance(node, list | tuple):
        return [_admit_non_finite(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "number":
        rest = {key: item for key, item in node.items() if key != "type"}
        return {"anyOf": [{"type": "number"}, {"enum": list(NON_FINITE)}], **_admit_non_finite(rest)}
    return {key: _admit_non_finite(item) for key, item in node.items()}
