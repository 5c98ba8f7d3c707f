"""Is a feature a mean over answers of its own row and of rows around it?

Rows of a series are in order of time, and so are their answers. A feature that was computed from those is a sum of a
few of them, the same at every row, to rounding. Sums of earlier answers are what a forecast is made from; one that
takes in the row's own contains what is asked for. At the borders of series that follow each other in one table, and at
its ends, the sum is another one; so a part of the rows may be left over.
"""

import torch

from firstlight.observe.inside.relations.composing import LEAST_DISTINCT, MOST_COLUMNS
from firstlight.records.held_out import Spans

BEFORE, AFTER = 48, 12
"""Rows whose answers a feature may be made of; together with its own."""
LEAST_ROWS = 4 * (BEFORE + AFTER + 1)
MOST_ROWS = 4096
MOST_ASKED = 16
"""Columns that are looked at closely: those that come nearest."""
NEARLY = 0.8
"""Of a column, explained by answers around it with every row counted, from which on it is looked at closely."""
EXACT = 1e-3
"""Of a column's deviation, that is left of a row; rounding leaves less."""
ROUNDS = 4
KEPT = 0.8
"""Of the rows, those that fit best, to which the sum is fitted in the next round."""
TAP = 0.2
"""Of the largest weight, from which on an answer is a part of the sum."""


def spans(table: torch.Tensor, values: torch.Tensor) -> Spans:
    """`table` and `values` have a row for each example, in the order in which they are kept."""
    table, values = table[:MOST_ROWS].double(), values[:MOST_ROWS].double()
    if len(values) < LEAST_ROWS or len(torch.unique(values)) < LEAST_DISTINCT or table.shape[1] > MOST_COLUMNS:
        return Spans()
    around = ((values - values.mean()) / values.std()).unfold(0, BEFORE + AFTER + 1, 1)
    rows = table[BEFORE : len(table) - AFTER]
    moving = [column for column in range(rows.shape[1]) if len(torch.unique(rows[:, column])) >= LEAST_DISTINCT]
    if not moving:
        return Spans()
    unit = (rows[:, moving] - rows[:, moving].mean(0)) / rows[:, moving].std(0)
    left = (unit - around @ _solved(around, unit)).pow(2).mean(0)
    near = [place for place in left.argsort()[:MOST_ASKED].tolist() if float(left[place]) <= 1 - NEARLY]
    found = [(moving[place], _span(around, unit[:, place])) for place in near]
    own = [(column, made) for column, made in found if made is not None and made.own]
    if not own:
        return Spans(rows=len(rows), of=len(moving))
    column, made = max(own, key=lambda pair: pair[1].exact)
    return Spans(
        rows=len(rows),
        of=len(moving),
        count=len(own),
        column=column,
        first=made.first,
        last=made.last,
        taps=made.taps,
        exact=made.exact,
        earlier=made.earlier,
        alone=made.alone,
    )


class AnswersSummed:
    """A column as a sum of the answers around its rows."""

    def __init__(self, weights: torch.Tensor, exact: float, earlier: float, alone: float) -> None:
        large = torch.nonzero(weights.abs() >= TAP * weights.abs().max()).reshape(-1) - BEFORE
        self.first, self.last, self.taps = int(large[0]), int(large[-1]), len(large)
        signs = torch.sign(weights[large + BEFORE])
        self.own = bool((large == 0).any()) and len(large) > 1 and bool((signs == signs[0]).all())
        self.exact, self.earlier, self.alone = exact, earlier, alone


def _span(around: torch.Tensor, column: torch.Tensor) -> AnswersSummed | None:
    exact, weights = _exact(around, column)
    if not exact >= KEPT:
        return None
    earlier, _ = _exact(around[:, :BEFORE], column)
    alone, _ = _exact(around[:, BEFORE : BEFORE + 1], column)
    return AnswersSummed(weights, exact, earlier, alone)


def _exact(around: torch.Tensor, column: torch.Tensor) -> tuple[float, torch.Tensor]:
    """Share of the rows at which the best sum leaves nothing but rounding, and its weights."""
    chosen = torch.ones(len(column), dtype=torch.bool)
    best, found = 0.0, torch.zeros(around.shape[1], dtype=torch.double)
    for _ in range(ROUNDS):
        solved = _solved(around[chosen], column[chosen][:, None])[:, 0]
        centre = (column[chosen] - around[chosen] @ solved).median()
        off = (column - around @ solved - centre).abs()
        exact = float((off <= EXACT).double().mean())
        if exact > best or not bool(found.any()):
            best, found = exact, solved
        chosen = off <= off.quantile(KEPT)
    return best, found


def _solved(around: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """By the normal equations: a little is added to them, for series that are smooth."""
    centred = around - around.mean(0)
    product = centred.t() @ centred
    product.diagonal().add_(1e-9 * len(around))
    found: torch.Tensor = torch.linalg.solve(product, centred.t() @ (columns - columns.mean(0)))
    return found
