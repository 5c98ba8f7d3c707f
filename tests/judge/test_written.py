"""A setting that is wrong is told on the line on which its number stands."""

import ast

import pytest

from firstlight.judge.written import written
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.source import SourceFile


def source(text: str) -> SourceFile:
    by_kind: dict[type[ast.AST], list[ast.AST]] = {}
    for node in ast.walk(ast.parse(text)):
        by_kind.setdefault(type(node), []).append(node)
    return SourceFile(path="train.py", by_kind=by_kind)


def line_of(text: str, told: int, cause: str = "hp-lr-high") -> int | None:
    finding = Finding(
        id="FL505",
        name="rate-too-high",
        cause=cause,
        category="hp",
        severity=Severity.ERROR,
        confidence=0.9,
        verified=False,
        where=Where(file="train.py", line=told),
        summary="",
        saw="",
        wanted="",
        likely="",
        do="",
    )
    (moved,) = written((finding,), [source(text)])
    return moved.where.line


WAYS = {
    "right there": ("\nAdam(net.parameters(), lr=3.0)", 2, 2),
    "on a line of its own": ("Adam(\n    net.parameters(),\n    lr=3.0,\n)", 1, 3),
    "a constant": ("LR = 3.0\nAdam(net.parameters(), lr=LR)", 2, 1),
    "a field": ("class C:\n    lr: float = 3.0\nc = C()\nAdam(net.parameters(), lr=c.lr)", 4, 2),
    "an option": ("p.add_argument('--learning-rate', type=float, default=3.0)\nSGD(w, lr=a.learning_rate)", 2, 1),
    "a default": ("def build(net,\n          lr=3.0):\n    return SGD(net.parameters(), lr=lr)", 3, 2),
    "a key": ("c = {'size': 3,\n     'lr': 3.0}\nSGD(w, lr=c['lr'])", 3, 2),
    "a name for a name": ("RATE = 3.0\nrate = RATE\nSGD(w, lr=rate)", 3, 1),
    "of a trainer": ("a = TrainingArguments(\n  learning_rate=3.0)\nt = Trainer(a)\nt.train()", 4, 2),
    "the peak of a schedule": ("lr = 1.0\npeak = 3.0\no = SGD(w, lr=lr)\nOneCycleLR(o, max_lr=peak)", 3, 2),
    "two that could be meant": ("lr = 3.0\nlr = 1.0\nSGD(w, lr=lr)", 3, 3),
    "from outside": ("SGD(w, lr=load()['lr'])", 1, 1),
    "in circles": ("a = b\nb = a\nSGD(w, lr=a)", 3, 3),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_number_is_found_where_it_is_written(way: str) -> None:
    text, told, wanted = WAYS[way]

    assert line_of(text, told) == wanted


def test_other_causes_stay_where_they_are() -> None:
    assert line_of("LR = 3.0\nAdam(net.parameters(), lr=LR)", 2, cause="hp-clip") == 2
