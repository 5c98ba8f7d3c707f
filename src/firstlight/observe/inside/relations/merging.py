"""Are symbols of a text made one that tell the answer only apart, such as large and small letters?

What a row of ids tells of its text is asked of the rows themselves, whatever made them. Of how often a symbol stands in
the text, all follows from how often each id is fed, unless it was made one with others: then only their sum does. What
is lost is what the symbols are off of what follows, and it may tell what the ids leave open of the answer. Where rows
have few places, as the columns of a table, an id may mean something else in each.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch

from firstlight.observe.inside.relations.guessing import foretold
from firstlight.observe.inside.relations.sample import parts_of
from firstlight.records.merged import Merged

MOST_TEXTS = 640
LEAST_TEXTS = 128
MOST_SYMBOLS = 96
"""The most frequent ones."""
A_ROW = 5
"""Rows for each kind of id, at least; of fewer, anything would follow."""
LEAST_WITH = 8
"""Rows that a symbol stands in."""
OPEN, FOLLOWS = 0.9, 0.98
"""Share of how a count varies that follows from the ids: below the first it is lost, from the second on it is known."""
MOST_TOGETHER = 32
LEAST_VARIED = 0.05
"""Of how the symbols vary by themselves, for their sum to vary at all."""
IS_ANSWER = 0.95
"""Share of what is lost that follows from the answer: it then is the answer, in a field that is not fed."""
BY_CHANCE = 3.0
"""Deviations, up to which counts that have nothing to do with each other vary against one another."""
NOUGHT = 1e-9
TOLD = 4
"""Groups that are named."""

LEVELS: dict[str, Callable[[str], Sequence[str]]] = {
    "characters": lambda text: [one for one in text if not one.isspace()],
    "words": str.split,
    "values": lambda text: [text],
}


class Lost(NamedTuple):
    """Symbols of one kind that are made one, and what their counts are off of what follows from the ids."""

    level: str
    groups: list[list[str]]
    off: torch.Tensor


def merged(texts: Sequence[str], ids: torch.Tensor, answer: torch.Tensor) -> Merged:
    """Of rows in the same order, by the kind of symbols of which what is lost tells most, along a line."""
    texts, ids, code = texts[:MOST_TEXTS], ids[:MOST_TEXTS], _code(answer[:MOST_TEXTS])
    fed = _counts_of_ids(ids)
    if code is None or len(texts) < LEAST_TEXTS or fed.shape[1] * A_ROW > len(fed):
        return Merged()
    losses = (_of_level(name, symbols, fed) for name, symbols in _tables(texts))
    told = [one for one in losses if one is not None and not _is_answer(one.off, code)]
    if not told:
        return Merged()
    best = min(told, key=lambda one: float(_off(code, torch.cat([fed, one.off], 1)).pow(2).sum()))
    return Merged(
        level=best.level,
        groups=tuple(tuple(group) for group in best.groups[:TOLD]),
        count=len(best.groups),
        rows=len(fed),
        fed=_skill(fed, code),
        apart=_skill(torch.cat([fed, best.off], 1), code),
    )


def _skill(table: torch.Tensor, code: torch.Tensor) -> float:
    return 1 - float((foretold(table, code)[0] - code).pow(2).mean() / (code - code.mean(0)).pow(2).mean())


def _counts_of_ids(ids: torch.Tensor) -> torch.Tensor:
    ids = ids.reshape(len(ids), -1)
    by_column = torch.stack([torch.unique(column, return_inverse=True)[1] for column in ids.t()], 1)
    width = by_column.max(0).values + 1
    apart = int(width.sum()) * A_ROW <= len(ids)
    places = by_column + width.cumsum(0) - width if apart else torch.unique(ids, return_inverse=True)[1]
    found = torch.zeros(len(ids), int(places.max()) + 1, dtype=torch.double)
    return found.scatter_add_(1, places, torch.ones_like(places, dtype=torch.double))


class Symbols(NamedTuple):
    names: list[str]
    counts: torch.Tensor


def _tables(texts: Sequence[str]) -> Iterator[tuple[str, Symbols]]:
    for level, split in LEVELS.items():
        rows = [Counter(split(text)) for text in texts]
        common = Counter(name for row in rows for name in row)
        names = [name for name, count in common.most_common(MOST_SYMBOLS) if count >= LEAST_WITH]
        counts = torch.tensor([[row[name] for name in names] for row in rows], dtype=torch.double)
        if len(names) > 1 and (level != "values" or len(common) == len(names)):
            yield level, Symbols(names, counts)


def _off(values: torch.Tensor, fed: torch.Tensor) -> torch.Tensor:
    """What each value is off of what follows from what is fed in all other rows."""
    table = torch.cat([fed, torch.ones(len(fed), 1, dtype=torch.double)], 1)
    u, sizes, _ = torch.linalg.svd(table, full_matrices=False)
    u = u[:, sizes > NOUGHT * sizes[0]]
    leverage = (u**2).sum(1, keepdim=True)
    found: torch.Tensor = (values - u @ (u.t() @ values)) / (1 - leverage).clamp_min(NOUGHT)
    return found


def _of_level(level: str, symbols: Symbols, fed: torch.Tensor) -> Lost | None:
    varied = (symbols.counts - symbols.counts.mean(0)).pow(2).sum(0)
    off = _off(symbols.counts, fed)
    lost = ((off.pow(2).sum(0) > (1 - OPEN) * varied) & (varied > 0)).nonzero().flatten().tolist()
    groups = list(_together(symbols.counts, off, lost))
    members = [one for group in groups for one in group]
    return Lost(level, [[symbols.names[one] for one in group] for group in groups], off[:, members]) if groups else None


def _together(counts: torch.Tensor, off: torch.Tensor, lost: list[int]) -> Iterator[list[int]]:
    """Symbols that are lost one by one, and whose sum is known although it varies."""
    left = sorted(lost, key=lambda one: -float(off[:, one].pow(2).sum()))
    while len(left) > 1:
        group = _grown(left, counts, off)
        if len(group) > 1:
            yield group
        left = [one for one in left[1:] if one not in group]


def _grown(left: list[int], counts: torch.Tensor, off: torch.Tensor) -> list[int]:
    """From the first of them, by the one that most makes up for what the others are off, until nothing is."""
    group, rest = left[:1], left[1:]
    unit = off / off.norm(dim=0).clamp_min(NOUGHT)
    while rest and len(group) < MOST_TOGETHER:
        whole = off[:, group].sum(1)
        against = unit[:, rest].t() @ whole / whole.norm().clamp_min(NOUGHT)
        if not float(against.min()) < -BY_CHANCE / math.sqrt(len(off)):
            break
        group.append(rest.pop(int(against.argmin())))
        if _follows(group, counts, off):
            return group
    return []


def _follows(group: list[int], counts: torch.Tensor, off: torch.Tensor) -> bool:
    whole = counts[:, group].sum(1)
    varied = float((whole - whole.mean()).pow(2).sum())
    alone = float((counts[:, group] - counts[:, group].mean(0)).pow(2).sum())
    known = float(off[:, group].sum(1).pow(2).sum()) <= (1 - FOLLOWS) * varied
    return known and varied > LEAST_VARIED * alone


def _code(answer: torch.Tensor) -> torch.Tensor | None:
    parts = parts_of(answer.reshape(len(answer), -1).float())
    if len(parts) != 1:
        return None
    if answer.is_floating_point() or not parts[0].classes:
        return answer.reshape(len(answer), -1).double()
    return torch.nn.functional.one_hot(parts[0].values.long(), parts[0].classes).double()


def _is_answer(left: torch.Tensor, code: torch.Tensor) -> bool:
    off = _off(left, code)
    return bool((off.pow(2).sum(0) < (1 - IS_ANSWER) * left.pow(2).sum(0)).any())
