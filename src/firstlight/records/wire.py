"""Records to JSON and back, without losing the numbers that matter most.

JSON has no NaN or infinity and libraries silently write `null`. Here they are the strings "NaN", "Infinity" and
"-Infinity", in every file we write and in the published schemas; in memory they are ordinary floats.
"""

import functools
import math
import operator
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

NON_FINITE = ("NaN", "Infinity", "-Infinity")


def encode(record: Any) -> bytes:
    """Names from a disk may hold bytes that are no text; they are spelt out, as `\\udcff`."""
    plain = to_plain(record)
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(plain))


def decode(data: bytes | str, kind: type[T]) -> T:
    """Lax on purpose: a number written as a string is how non-finite values travel.

    Raises `msgspec.MsgspecError` for whatever is wrong with it: bytes that are no text, nesting without end.
    """
    try:
        return msgspec.json.decode(data, type=kind, strict=False)
    except (RecursionError, ValueError) as error:
        raise error if isinstance(error, msgspec.MsgspecError) else msgspec.DecodeError(str(error)) from None


def any_of(*families: Any) -> Any:
    """One type for every record of these families, told apart by their tags; a family's own class has none."""
    kinds: list[Any] = [kind for family in families for kind in family.__subclasses__()]
    return functools.reduce(operator.or_, kinds)


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


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value


def name_of(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def number(value: Any) -> float | None:
    """A number as it stands in a line of ours: three strings are numbers, truth values are not."""
    if isinstance(value, str):
        return float(value) if value in NON_FINITE else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return None


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
