"""`surface --loss`: a loss function alone. Where its gradient is gone, where it is no number, where it leads away."""

import math
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from firstlight.errors import UsageError
from firstlight.observe.process import Script, popen
from firstlight.observe.target import is_declaration
from firstlight.observe.traceback import message_of
from firstlight.records import wire
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabMap, LabReport, LabTable
from firstlight.records.steered import LossCard, LossPlace

MODULE = "firstlight.experiments.loss_card"
MOST_SECONDS = 120.0
LEVEL = 1e-9
"""A slope below it, against the largest one, is none."""


def loss_card(word: str) -> LabReport:
    if not is_declaration(word):
        raise UsageError(
            f"`--loss {word}` does not name a function. Write it as `package.module:function` or `file.py:function`."
        )
    return answer(word, _measured(word))


def _measured(word: str) -> LossCard:
    """In a process of its own, which imports the module and what it needs."""
    with tempfile.TemporaryDirectory(prefix="fl-") as folder:
        made = Path(folder) / "card.json"
        process = Script(
            popen((sys.executable, "-m", MODULE, word, str(made)), os.environ, str(Path.cwd())),
            Path(folder) / "output.log",
            None,
        )
        try:
            process.wait(lambda: process.seconds > MOST_SECONDS)
        finally:
            process.end()
        if not made.exists():
            raise UsageError(f"`{word}` cannot be drawn: {message_of(process.output.lines())}")
        return wire.decode(made.read_bytes(), LossCard)


def flags(card: LossCard) -> Iterator[tuple[str, int]]:
    """What is wrong at how many places of the grid."""
    places = [
        (x, y, one) for y, row in zip(card.side, card.rows, strict=True) for x, one in zip(card.side, row, strict=True)
    ]
    steepest = max((abs(slope) for _, _, one in places for slope in one.slopes if math.isfinite(slope)), default=0.0)
    wrong = [(x, y) for x, y, one in places if not (one.finite and all(map(math.isfinite, one.slopes)))]
    flat = [(x, y) for x, y, one in places if one.finite and _is_flat(one, steepest) and not _is_right(card, x, y)]
    away = [(x, y) for x, y, one in places if one.finite and _leads_away(card, x, y, one, steepest)]
    yield "is not a number", len(wrong)
    yield "has no gradient although the prediction is wrong", len(flat)
    yield "leads away from the target", len(away)


def _is_flat(one: LossPlace, steepest: float) -> bool:
    return all(abs(slope) <= LEVEL * steepest for slope in one.slopes)


def _is_right(card: LossCard, x: float, y: float) -> bool:
    """The prediction is the target, or on its side with the others far behind."""
    if card.kind == "numbers":
        return math.isclose(x, y, abs_tol=1e-9)
    return x > max(y, 0.0) if card.kind == "classes" else (x > 0) == (y > 0)


def _leads_away(card: LossCard, x: float, y: float, one: LossPlace, steepest: float) -> bool:
    """A step against the slope would move the prediction away from where it should go."""
    slope = one.slopes[0]
    if abs(slope) <= LEVEL * steepest or _is_right(card, x, y):
        return False
    wanted = 1.0 if card.kind == "classes" else y - x if card.kind == "numbers" else (1.0 if y > 0 else -1.0)
    return slope * wanted > 0


def answer(word: str, card: LossCard) -> LabReport:
    found = [(what, count) for what, count in flags(card) if count]
    of = len(card.side) ** 2
    told = "; ".join(f"at {count} of {of} places it {what}" for what, count in found)
    sentence = f"`{word}`, as a loss of {card.kind}, " + (
        f"has faults: {told}."
        if found
        else "is finite everywhere, and its gradient leads to the target wherever the prediction is wrong."
    )
    rows: tuple[tuple[Scalar, ...], ...] = tuple(flags(card))
    return LabReport(
        kind="surface",
        command=(word,),
        answer=sentence,
        numbers={what.replace(" ", "_"): count for what, count in flags(card)},
        tables=(LabTable(title=f"of {of} places", head=("it", "places"), rows=rows),),
        maps=tuple(_maps(card)),
        limits=("one example on a grid of two numbers; batches, weights and masks were not tested",),
    )


def _maps(card: LossCard) -> Iterator[LabMap]:
    yield _map(card, "Loss", [[one.value for one in row] for row in card.rows])
    for axis, label in enumerate((card.x, card.y)[: len(card.rows[0][0].slopes)]):
        yield _map(card, f"Slope along the {label}", [[one.slopes[axis] for one in row] for row in card.rows])


def _map(card: LossCard, title: str, values: list[list[float]]) -> LabMap:
    """The largest y on top, as on paper."""
    turned = tuple(tuple(row) for row in reversed(values))
    return LabMap(title=title, x=card.x, y=card.y, columns=card.side, rows=tuple(reversed(card.side)), values=turned)
