"""Types of columns under one spelling, whoever spelled them: Python, numpy, pandas, Polars, PyArrow or torch."""

import re
from typing import Any

ACCEPTED = "float, int, number, bool, string, time, or one of a size such as float32, int64, uint8"
_SIZED = re.compile(r"u?int(8|16|32|64|128)|float(16|32|64)|bfloat16|decimal")
_KINDS = frozenset({"float", "int", "number", "bool", "string", "time"})
_TIMES = ("date", "time", "duration")
_OTHER_NAMES = {
    "boolean": "bool",
    "str": "string",
    "utf8": "string",
    "object": "string",
    "category": "string",
    "categorical": "string",
    "enum": "string",
    "large_string": "string",
    "floating": "float",
    "half": "float16",
    "halffloat": "float16",
    "single": "float32",
    "double": "float64",
    "integer": "int",
    "short": "int16",
    "long": "int64",
    "numeric": "number",
}


def spelled(dtype: Any) -> str:
    """`float` for Python's; `float32` for numpy's, Polars' and torch's; `time` for `"datetime64[ns]"`."""
    text = dtype.__name__ if isinstance(dtype, type) else str(dtype)
    name = re.split(r"[\[(]", text.lower(), maxsplit=1)[0].rpartition(".")[2].removesuffix("dtype").rstrip("_")
    return "time" if name.startswith(_TIMES) else _OTHER_NAMES.get(name, name)


def is_known(name: str) -> bool:
    return name in _KINDS or _SIZED.fullmatch(name) is not None


def fits(have: str, wanted: str) -> bool:
    """A type of a size is itself only; a kind is any of its sizes."""
    if wanted in ("float", "int"):
        return wanted in have and is_known(have)
    if wanted == "number":
        return _SIZED.fullmatch(have) is not None
    return have == wanted
