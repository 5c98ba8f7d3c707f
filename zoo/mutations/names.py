"""The names people give to what predictions are made from and to what should be predicted."""

from __future__ import annotations

import ast
import re

from zoo.mutations.source import last_name

_TARGET = re.compile(
    r"^(batch_?)?(y|t|yb|by|yy|ys|yt|y_?\w+|lab\w*|target\w*|tgt\w*|tags?|mask\w*|truth|gold|answer\w*|cls|gt\w*|wanted)$"
)


_INPUT = re.compile(
    r"^(batch_?)?(x|xb|bx|xx|xs|xt|x_?\w+|im\w*|inp\w*|feat\w*|text\w*|token\w*|src\w*|data|sig\w*|wav\w*|seq\w*|ids)$",
    re.IGNORECASE,
)


def is_target(name: str) -> bool:
    """Whether a name is one people give to what should be predicted."""
    return bool(_TARGET.match(name))


def is_input(name: str) -> bool:
    """Whether a name is one people give to what predictions are made from."""
    return bool(_INPUT.match(name))


def named_pair(target: ast.expr) -> tuple[str, str] | None:
    """Inputs and target of what a batch is unpacked into, `i, (x, y)` too."""
    if isinstance(target, ast.Tuple) and len(target.elts) == 2 and isinstance(target.elts[1], ast.Tuple):
        target = target.elts[1]
    if not isinstance(target, ast.Tuple) or not all(isinstance(item, ast.Name) for item in target.elts):
        return None
    names = [last_name(item) for item in target.elts]
    wanted = [name for name in names if is_target(name)]
    given = [name for name in names if is_input(name) and name not in wanted]
    return (given[0], wanted[-1]) if given and wanted else None
