"""The libraries that tables are read and judged with, asked for once and told in one sentence where they are absent."""

import importlib.util

from firstlight.errors import UsageError

NEEDED = ("numpy", "pyarrow", "scipy", "sklearn")
EXTRAS = {"narwhals": "data", "PIL": "data", "rensa": "data", "ray": "ray", "tokenizers": "transformers"}
"""By the name of the module: the extra of firstlight that brings it."""


def require_engine() -> None:
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if absent:
        raise UsageError(f"tables are read with {' and '.join(absent)}: `pip install 'firstlight[data]'`")


def require(module: str, purpose: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise UsageError(f"{purpose} needs {module}: `pip install 'firstlight[{EXTRAS[module]}]'`")
