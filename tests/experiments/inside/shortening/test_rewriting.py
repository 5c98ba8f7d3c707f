"""What the rewritten source does is what the source does, as long as no loop trains."""

import ast
from typing import Any

import pytest

from firstlight.experiments.inside.shortening.rewriting import DUE, ROUNDS, WHILE, rewritten
from firstlight.experiments.inside.shortening.rounds import Book, Plan


def run(source: str, book: Book, **names: Any) -> dict[str, Any]:
    tree = rewritten(ast.parse(source), book.register("train.py"))
    found = {ROUNDS: book.over, WHILE: book.begin, DUE: book.due, **names}
    exec(compile(tree, "train.py", "exec"), found)
    return found


def book(inner: int = 3, outer: int = 2, last: str = "none", spare: float = 0.0) -> Book:
    return Book(Plan(inner=inner, outer=outer, last=last, spare=spare))


PROGRAMS = (
    "found = [(i, j) for i in range(4) for j in range(i) if (i + j) % 2 == 0]",
    "found = {i: i * i for i in range(9)}",
    "found = 0\nfor i in range(9):\n    if i % 2:\n        continue\n    found += i\nelse:\n    found += 100",
    "found = 0\nfor i in range(9):\n    if i > 4:\n        break\n    found += i\nelse:\n    found += 100",
    (
        "found, n = [], 0\nwhile n < 7:\n    n += 1\n"
        "    if n % 3 == 0:\n        found.append(n)\nelse:\n    found.append(0)"
    ),
    (
        "def f():\n    n = 0\n    while True:\n"
        "        yield n\n        n += 1\nfound = [n for n, _ in zip(f(), range(40))]"
    ),
    "items = [1, 2, 3]\nfor item in items:\n    if len(items) < 9:\n        items.append(item)\nfound = items",
    "it = iter(range(10))\nfor a in it:\n    if a == 3:\n        break\nfound = list(it)",
    "found = ['%s%%' % n for n in range(3)]\nfor n in found:\n    if '%s' % n == '1%':\n        found = n",
    "class A:\n    total = 0\n    for k in range(3):\n        total += k\nfound = A.total",
    (
        "def f():\n    for i in range(5):\n        for j in range(5):\n"
        "            if i * j == 6:\n                return i\nfound = f()"
    ),
)


@pytest.mark.parametrize("source", PROGRAMS)
def test_a_program_that_does_not_train_does_what_it_did(source: str) -> None:
    plain: dict[str, Any] = {}
    exec(source, plain)

    assert run(source, book())["found"] == plain["found"]


def test_errors_keep_their_lines() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        run("for i in range(3):\n    if i % 2 == 0:\n\n        1 / 0\n", book())

    assert raised.traceback[-1].lineno + 1 == 4


def test_the_lines_of_a_body_are_known() -> None:
    seen = book()
    run("for i in range(2):\n    a = i\n    b = i\nwhile False:\n    pass\n", seen)

    assert [(loop.first, loop.last) for loop in seen.loops] == [(2, 3), (5, 5)]
