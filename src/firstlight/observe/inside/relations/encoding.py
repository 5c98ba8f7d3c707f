"""Is a feature the mean answer of a group of rows, taken over all rows there are, evaluated ones among them?

Rows of a group have the same value of it. Over the groups, the sums of the answers then follow from the value and the
number of rows, to rounding, also where the mean was drawn towards that of all, and where either was scaled afterwards:
`sum = a·value·count + b·count + c·value + d`. That holds for exactly those rows whose answers went into the mean: one
of the training rows alone does not fit all of them. Answers that are whole numbers, such as yes and no, give many
groups the same value; what is joined by it is taken apart in `joined`.

Sums may also follow from the numbers of rows alone: all are zero where the answer is rare, or one where each query has
one hit. So the values are exchanged among the groups, and only those groups count that no longer fit then.
"""

from collections.abc import Iterable

import torch

from firstlight.observe.inside.relations.composing import MOST_COLUMNS
from firstlight.observe.inside.relations.joined import SameValue, exactly_mean, solved_for, whole_numbers
from firstlight.observe.inside.relations.spanning import EXACT, KEPT
from firstlight.observe.inside.relations.standing import LEAST_ROWS, StandingTable
from firstlight.records.held_out import Encoded

LEAST_GROUPS = 16
ROUNDS = 3


def encoded(tables: Iterable[tuple[StandingTable, int]]) -> Encoded:
    """The feature that is most exactly so, of tables that may hold all rows, each with how many are evaluated."""
    found = [
        _column(whole, column, evaluated)
        for whole, evaluated in tables
        for column in range(min(MOST_COLUMNS, whole.rows.shape[1]))
    ]
    return max(found, key=lambda one: one.exact, default=Encoded())


def _column(whole: StandingTable, column: int, evaluated: int) -> Encoded:
    values, answers = whole.rows[:, column].double(), whole.answers.double()
    kinds, groups = torch.unique(values, return_inverse=True)
    several = torch.bincount(groups) > 1
    if len(values) < LEAST_ROWS or int(several.sum()) < LEAST_GROUPS:
        return Encoded()
    counts = torch.bincount(groups).double()
    sums = torch.zeros(len(kinds), dtype=torch.double).index_add_(0, groups, answers)
    deviation = answers.std()
    left = (answers - (sums / counts)[groups])[several[groups]].pow(2).mean().sqrt() / deviation
    unit = (kinds - kinds.mean()) / kinds.std()
    alike = SameValue(unit[several], counts[several], sums[several])
    exact, telling = _following(alike, deviation, answers), ~_following(_exchanged(alike), deviation, answers)
    shares = alike.rows(exact) / float(counts[several].sum()), _share(exact), _share(exact[telling])
    return Encoded(
        column=column,
        of=whole.rows.shape[1],
        rows=len(values),
        evaluated=evaluated,
        groups=int(telling.sum()),
        within=float(left),
        exact=min(shares),
    )


def _exchanged(alike: SameValue) -> SameValue:
    generator = torch.Generator().manual_seed(0)
    return alike._replace(values=alike.values[torch.randperm(len(alike.values), generator=generator, device="cpu")])


def _share(chosen: torch.Tensor) -> float:
    return float(chosen.sum()) / max(1, len(chosen))


def _following(alike: SameValue, deviation: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Which of the groups have a sum that is told by the value and the number of rows."""
    exact = _exact(alike, deviation)
    return max(exact, exactly_mean(alike, deviation), key=alike.rows) if whole_numbers(answers) else exact


def _exact(alike: SameValue, deviation: torch.Tensor) -> torch.Tensor:
    """Which of the groups have the sum that follows from the others."""
    rounding = EXACT * deviation * alike.counts
    sums = alike.sums - alike.counts * alike.sums.sum() / alike.counts.sum()
    chosen, best = torch.ones(len(sums), dtype=torch.bool), torch.zeros(len(sums), dtype=torch.bool)
    for _ in range(ROUNDS):
        solved = solved_for(alike.design[chosen], sums[chosen])
        off = (sums - alike.design @ solved).abs() / rounding
        best = max(best, off <= 1, key=lambda one: int(one.sum()))
        chosen = off <= off.quantile(KEPT)
    return best
