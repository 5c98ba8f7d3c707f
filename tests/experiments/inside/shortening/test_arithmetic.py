"""What the user computes is computed as it was written, and told."""

import ast
from typing import Any

import numpy as np
import pytest

from firstlight.experiments.inside.shortening.arithmetic import Arithmetic, heard


def run(source: str, on: bool = True, **names: Any) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    told: list[tuple[Any, ...]] = []
    arithmetic = Arithmetic()
    arithmetic.on = on
    arithmetic.share = lambda *given: told.append(given)
    arithmetic.arrays = lambda name, *_: told.append((name,))
    arithmetic.pairs = lambda *given: told.append(("beside", *(list(one) for one in given)))
    found = {**arithmetic.builtins(), **names}
    exec(compile(ast.fix_missing_locations(heard(ast.parse(source))), "train.py", "exec"), found)
    return told, found


@pytest.mark.parametrize(
    ("source", "told", "result"),
    [
        ("result = 6 / 4", [(6, 4)], 1.5),
        ("result = 6\nresult /= 4", [(6, 4)], 1.5),
        ("result = 6 // 4", [], 1),
        ("@jit\ndef f(a): return a / 2\nresult = f(3)", [], 1.5),
        ("result = (a == b).mean()", [("eq",)], 0.5),
        ("result = (a != b).mean()", [("ne",)], 0.5),
        ("result = (a == 1).mean()", [], 0.5),
        ("result = ((a - b) ** 2).sum()", [("sub",)], 4),
        ("result = abs(a - b).sum()", [("sub",)], 2),
        ("result = (a - b).sum()", [], -2),
        ("result = len(a) == len(b)", [], True),
    ],
)
def test_each_is_what_it_was(source: str, told: list[Any], result: Any) -> None:
    heard_of, found = run(source, a=np.array([1, 2]), b=np.array([1, 4]), jit=lambda f: f)

    assert (heard_of, found["result"]) == (told, result)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("result = ((a == 1) & (b == 1)).sum()", 1),
        ("result = ((a == 1) * (b == 1)).sum()", 1),
        ("result = both(a == 1, b > 1).sum()", 0),
        ("result = a[b == 4].sum()", 2),
        ("result = (a * 5 + b).sum()", 20),
        ("result = sum(one == other for one, other in zip(a, b))", 1),
        ("result = sum(one == other for one, other in zip(list(a), list(b), strict=True))", 1),
    ],
)
def test_what_is_side_by_side(source: str, result: Any) -> None:
    heard_of, found = run(source, a=np.array([1, 2]), b=np.array([1, 4]), both=np.logical_and)

    assert heard_of == [("beside", [1, 2], [1, 4])]
    assert found["result"] == result


@pytest.mark.parametrize(
    "source", ["zip(a, iter(b))", "zip(a)", "zip(*[a, b])", "a[a == 1]", "(a == 1) & (a == 2)", "zip(a, b[:1])"]
)
def test_what_is_not_side_by_side(source: str) -> None:
    assert run(f"result = {source}", a=np.array([1, 2]), b=np.array([1, 4]))[0] == []


def test_nobody_is_told_while_nothing_is_evaluated() -> None:
    assert run("a = 6 / 4", on=False)[0] == []


def test_what_cannot_be_divided_raises_as_before() -> None:
    with pytest.raises(ZeroDivisionError):
        run("1 / 0")
