"""Is the answer an exact sum of a few features? Then one of them was made from it: a mean that contains it, a total.

Columns are taken one by one, each the one that explains most of what is left, on one half of the rows; what they leave
is measured on the other half. An exact sum alone is no leak: answers of toys and of laws of nature are sums, too. What
a leak leaves behind is that the answer is a *difference*. The feature that was made from it holds other things as well,
and these are taken off again, so that what the feature adds and what the others add go against each other. Without that
feature the answer is not known; in a smooth series, or one without noise, it would be by those next to it.
"""

from dataclasses import dataclass

import torch

from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.observe.inside.relations.telling import MOST_SHARE, power_over
from firstlight.records.relations import MadeOf

LEAST_EXAMPLES = 128
MOST_EXAMPLES = 1024
LEAST_COLUMNS = 4
MOST_COLUMNS = 512
LEAST_DISTINCT = 32
"""Different answers."""
SERIES = 2
"""Dimensions of an example: places, and features at each of them."""
MOST_STEPS = 32
"""Features that are taken, one after the other."""
LEAST_PROGRESS = 1e-3
"""Of what is left, that a step takes off."""
EXACT = 1e-4
"""Of the answers' deviation: what rounding leaves."""
TINY = 1e-6
"""Of a column, that others do not explain: it is one of them again."""
FUNCTIONS = 0.98
"""Power of a column over another one: both are functions of one thing, as powers of it are."""


@dataclass(frozen=True)
class Halves:
    """Features and answer of half the rows, and of the other half, in deviations of the first."""

    fit: torch.Tensor
    answer: torch.Tensor
    other: torch.Tensor
    other_answer: torch.Tensor

    def weights(self, columns: list[int]) -> torch.Tensor:
        found: torch.Tensor = torch.linalg.lstsq(self.fit[:, columns], self.answer[:, None], driver="gelsd").solution
        return found[:, 0]

    def left(self, columns: list[int]) -> float:
        """Of the answer on the other half."""
        found = self.other_answer - self.other[:, columns] @ self.weights(columns)
        return float(found.pow(2).mean().sqrt())


def made_of(table: torch.Tensor, answer: AnswerMet, shape: tuple[int, ...] = ()) -> MadeOf:
    """`table` has a row for each example, and `shape` is that of an example as it came."""
    table, values = table[:MOST_EXAMPLES].double(), answer.values[:MOST_EXAMPLES].double()
    if answer.classes or len(table) < LEAST_EXAMPLES or len(torch.unique(values)) < LEAST_DISTINCT:
        return MadeOf()
    moving = torch.nonzero(table[::2].std(0) > 0).reshape(-1)
    if not LEAST_COLUMNS <= len(moving) <= MOST_COLUMNS:
        return MadeOf()
    halves = _halves(table[:, moving], values)
    chosen = _needed(halves, _taken(halves, list(range(len(moving)))))
    if not 1 < len(chosen) <= MOST_SHARE * len(moving) or _functions(halves.fit[:, chosen]):
        return MadeOf()
    return _told(halves, chosen, moving, _names(table.shape[1], shape))


def _told(halves: Halves, chosen: list[int], moving: torch.Tensor, names: list[tuple[int, int]]) -> MadeOf:
    added = halves.fit[:, chosen] * halves.weights(chosen)
    rest = added.sum(1, keepdim=True) - added
    against = [float(torch.corrcoef(torch.stack(pair))[0, 1]) for pair in zip(added.t(), rest.t(), strict=True)]
    pivot = min(range(len(chosen)), key=against.__getitem__)
    chosen = [chosen[pivot], *chosen[:pivot], *chosen[pivot + 1 :]]
    named = [names[column] for column in moving.tolist()]
    return MadeOf(
        columns=tuple(named[column][0] for column in chosen),
        places=tuple(named[column][1] for column in chosen if named[column][1] >= 0),
        of=len(moving),
        left=halves.left(chosen),
        alone=min(halves.left([column]) for column in chosen),
        against=against[pivot],
        without=_without(halves, chosen, [feature for feature, _ in named]),
    )


def _without(halves: Halves, chosen: list[int], features: list[int]) -> float:
    """What is left by all but the first that was chosen; where that is of a series, by all other features of it."""
    several = len({features[column] for column in chosen}) > 1
    gone = {c for c, feature in enumerate(features) if several and feature == features[chosen[0]]} or {chosen[0]}
    others = _taken(halves, [column for column in range(len(features)) if column not in gone])
    return halves.left(others) if others else 1.0


def _names(width: int, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """The feature of each column, and its place in a series of several; -1 in a table. There are fewer features."""
    if len(shape) != SERIES or min(shape) == 1 or shape[0] * shape[1] != width:
        return [(column, -1) for column in range(width)]
    if shape[0] < shape[1]:
        return [(column // shape[1], column % shape[1]) for column in range(width)]
    return [(column % shape[1], column // shape[1]) for column in range(width)]


def _halves(table: torch.Tensor, values: torch.Tensor) -> Halves:
    centre, width = table[::2].mean(0), table[::2].std(0)
    unit = (table - centre) / width
    answer = (values - values[::2].mean()) / values[::2].std()
    return Halves(unit[::2], answer[::2], unit[1::2], answer[1::2])


def _taken(halves: Halves, columns: list[int]) -> list[int]:
    """Until nothing is left but rounding, or no column takes off any more."""
    table, left = halves.fit[:, columns].clone(), halves.answer.clone()
    whole, found = table.pow(2).sum(0), list[int]()
    while len(found) < min(MOST_STEPS, len(columns)) and float(left.pow(2).mean().sqrt()) > TINY:
        sizes = table.pow(2).sum(0)
        gains = torch.where(sizes > TINY**2 * whole, (left @ table).pow(2) / sizes.clamp_min(1e-300), 0.0)
        best = int(gains.argmax())
        if not float(gains[best]) > LEAST_PROGRESS * float(left @ left):
            break
        along = table[:, best] / table[:, best].norm()
        left = left - along * (along @ left)
        table = table - along[:, None] * (along @ table)
        found.append(columns[best])
    return found


def _needed(halves: Halves, taken: list[int]) -> list[int]:
    """Those of them without which the answer is not exact; none where it is not with all of them."""
    if not taken or halves.left(taken) > EXACT:
        return []
    for column in list(taken):
        fewer = [one for one in taken if one != column]
        if fewer and halves.left(fewer) <= EXACT:
            taken = fewer
    return taken


def _functions(table: torch.Tensor) -> bool:
    """One of the columns follows from another."""
    for place in range(table.shape[1]):
        others = [other for other in range(table.shape[1]) if other != place]
        if float(power_over(table[:, others], table[:, place]).max()) >= FUNCTIONS:
            return True
    return False
