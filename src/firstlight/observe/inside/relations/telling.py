"""How much each single feature tells of the answer: a feature that tells it all, among others that do not, is a leak.

Two questions, whichever a feature answers better. Is it the same for all examples of a class? And do examples that lie
next to each other, ordered by it, have the same answer? The second sees whatever function of the answer it is.
"""

import torch

from firstlight.observe.inside.relations.neighbours import fit
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.relations import Tells

LEAST_EXAMPLES = 64
LEAST_COLUMNS = 3
"""With fewer, a feature that tells the answer is the task itself."""
MOST_EXAMPLES = 1024
CERTAIN = 0.97
"""Power of a feature from which the class follows."""
CERTAIN_OF_VALUES = 0.99
"""As well for an answer that is a value: the last value of a series tells nearly as much of the next one."""
MOST_SHARE = 0.5
"""Of the columns; where more of them tell the answer, it is easy."""
MOST_NAMED = 6


def tells(table: torch.Tensor, answer: AnswerMet) -> Tells:
    """`table` has a row for each example."""
    table = table[:MOST_EXAMPLES].double()
    values = answer.values[:MOST_EXAMPLES]
    moving = torch.nonzero((table != table[:1]).any(0)).reshape(-1)
    if len(table) < LEAST_EXAMPLES or len(moving) < LEAST_COLUMNS or bool((values == values[0]).all()):
        return Tells()
    width, table = table.shape[1], table[:, moving]
    power = powers(table, AnswerMet(values, answer.classes))
    telling = power >= (CERTAIN if answer.classes else CERTAIN_OF_VALUES)
    count = int(telling.sum())
    if not 0 < count <= MOST_SHARE * len(moving) or (count > 1 and _are_copies(table[:, telling])):
        return Tells(of=width, others=float(power.max()))
    return Tells(
        columns=tuple(moving[telling][:MOST_NAMED].tolist()),
        count=count,
        of=width,
        power=float(power[telling].min()),
        others=float(power[~telling].max()),
        rest=fit(table[:, ~telling].float(), AnswerMet(values, answer.classes)),
    )


def powers(table: torch.Tensor, answer: AnswerMet) -> torch.Tensor:
    """Of each column over the answer."""
    return _of_classes(table, answer.values, answer.classes) if answer.classes else power_over(table, answer.values)


def _are_copies(columns: torch.Tensor) -> bool:
    """The same number stands at several places: where a text repeats itself, copying is what is to be learnt."""
    return bool((columns == columns[:, :1]).all())


def _of_classes(table: torch.Tensor, classes: torch.Tensor, count: int) -> torch.Tensor:
    """The larger of the share of a column's variance that lies between the classes, and the skill of its order."""
    codes = torch.nn.functional.one_hot(classes.long(), count).double()
    means = (codes.t() @ table) / codes.sum(0).clamp_min(1)[:, None]
    within = ((table - means[classes.long()]) ** 2).sum(0)
    total = ((table - table.mean(0)) ** 2).sum(0).clamp_min(torch.finfo(torch.double).tiny)
    shares = codes.mean(0)
    by_chance = (shares**2).sum()
    ordered = classes[_order(table)]
    same = (ordered[1:] == ordered[:-1]).double().mean(0)
    return torch.maximum(1 - within / total, (same - by_chance) / (1 - by_chance))


def power_over(table: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The share of the variance of the answer's ranks that the two neighbours in a column's order account for."""
    ranks = values.argsort().argsort().double()
    ranks = (ranks - ranks.mean()) / ranks.std()
    ordered = ranks[_order(table)]
    told = (ordered[2:] + ordered[:-2]) / 2
    left = ((ordered[1:-1] - told) ** 2).sum(0) / (ordered[1:-1] ** 2).sum(0)
    return 1 - left


def _order(table: torch.Tensor) -> torch.Tensor:
    """Rows sorted by each column; equal ones in an order that has nothing to do with when they came."""
    shuffled = torch.randperm(len(table), generator=torch.Generator().manual_seed(0), device="cpu")
    return shuffled[table[shuffled].argsort(dim=0, stable=True)]
