"""Is there a feature that is out of the ordinary in examples of one class alone?

What is recorded because of an outcome (a fee, a date, a flag) is empty or zero wherever that outcome did not come, and
where it is not, the class is certain, however uncertain the other features leave it. A rule in the data may say the
same: *one of these, and the class is sure*. But once such rows are set aside, what is left of a rule is clearer than
before, and what is left of a noisy outcome is not.
"""

from typing import NamedTuple

import torch
from msgspec.structs import replace

from firstlight.observe.inside.relations.guessing import LEAST_EXAMPLES, MOST_CLASSES, foretold
from firstlight.observe.inside.relations.neighbours import fit
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.observe.inside.relations.transferring import agreement
from firstlight.records.relations import Marked

LEAST_COLUMNS, MOST_COLUMNS = 3, 128
LEAST_ROWS = 24
"""Marked and unmarked."""
MOST_EXCEPTIONS = 0.01
"""Of the marked rows."""
LEAST_COVERED = 0.5
"""Of a class; what marks fewer of its examples may be a rare and honest sign."""
ALSO_COVERED = 0.1
"""By a column that marks another class, as words mark topics."""


class ClassMark(NamedTuple):
    column: int
    rows: torch.Tensor
    """Whether each is marked."""
    kind: int
    exceptions: int
    covered: float


def marked(table: torch.Tensor, answer: AnswerMet) -> Marked:
    """`table` has a row for each example."""
    fits = LEAST_COLUMNS <= table.shape[1] <= MOST_COLUMNS and len(table) >= LEAST_EXAMPLES
    if not fits or not 1 < answer.classes <= MOST_CLASSES:
        return Marked()
    classes = answer.values.long()
    marks = [mark for column in range(table.shape[1]) if (mark := _mark(table[:, column], column, classes)) is not None]
    best = max(marks, key=lambda one: one.covered, default=None)
    if best is None or best.covered < LEAST_COVERED:
        return Marked(of=table.shape[1])
    same = [one.column for one in marks if one.kind == best.kind]
    others = [column for column in range(table.shape[1]) if column not in same]
    found = Marked(
        column=best.column,
        of=table.shape[1],
        count=len(same),
        other_classes=len(marks) - len(same),
        kind=(answer.kinds or range(answer.classes))[best.kind],
        rows=int(best.rows.sum()),
        exceptions=best.exceptions,
        covered=best.covered,
    )
    return _beside(found, best, table[:, others], answer) if others and not found.other_classes else found


def _mark(column: torch.Tensor, place: int, classes: torch.Tensor) -> ClassMark | None:
    rows = column != column.mode().values
    count = int(rows.sum())
    if not LEAST_ROWS <= count <= len(rows) - LEAST_ROWS:
        return None
    counts = torch.bincount(classes[rows])
    kind = int(counts.argmax())
    exceptions, covered = count - int(counts[kind]), int(counts[kind]) / int((classes == kind).sum())
    pure = exceptions <= MOST_EXCEPTIONS * count and covered >= ALSO_COVERED
    return ClassMark(place, rows, kind, exceptions, covered) if pure else None


def _beside(found: Marked, mark: ClassMark, others: torch.Tensor, answer: AnswerMet) -> Marked:
    """What the other columns say of the marked rows, and of those that are not."""
    code = torch.nn.functional.one_hot(answer.values.long(), answer.classes).double()
    guess, count = foretold(others, code)
    left = ~mark.rows
    chance = guess[mark.rows[:count], mark.kind].clamp(0, 1)
    rest, rest_count = foretold(others[left], code[left])
    return replace(
        found,
        foreseen=float((1 - chance).mean()) * found.rows if len(chance) else 0.0,
        rest=fit(others, answer),
        clear=agreement(guess, code[:count]),
        clear_without=agreement(rest, code[left][:rest_count]),
    )
