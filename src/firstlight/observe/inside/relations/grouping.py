"""Do examples come in groups, many from one patient, recording or picture, and are those told apart in evaluation?

A tree of shortest ways joins all examples. Where they come in groups, its ways are of two kinds: short ones within a
group, and long ones from a group to the next. Cut at the long ones, it tells the groups without knowing what they are
called. Values of one unit (a window's, a picture's) differ along a few directions, and along all others by noise, which
is left out: groups lie farther apart without it. What a group is good for is measured by a plain fit, whose examples
are left out a few at a time, and a few groups at a time: what it can only foretell from examples of the same group is
no knowledge of new ones.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.composing import LEAST_COLUMNS
from firstlight.observe.inside.relations.guessing import RIDGES
from firstlight.observe.inside.relations.neighbours import distances
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, flat, parts_of
from firstlight.records.held_out import Groups

LEAST_EXAMPLES = 96
MOST_EXAMPLES = 2048
MOST_FITTED = 640
"""Of a plain fit, which is made three dozen times."""
LEAST_ASKED = 24
"""Evaluated examples, and below, of one call, and calls."""
LEAST_OF_A_CALL, MOST_OF_A_CALL = 16, 64
MOST_CALLS = 32
LEAST_GROUPS = 12
MOST_WIDTH = 5.0
"""Deviations of a column; what lies farther out counts as if it lay there."""
SIGNAL = 2
"""Dimensions of an example whose values are of one unit: channels and moments."""
MOST_TURNED = 512
"""Columns whose directions are looked for."""
BEYOND_NOISE = 1.02
"""Times the most that noise alone spreads along a direction."""
FOLDS = 4
DEALS = 2
"""Ways to deal groups to folds; which of them are left out together is luck."""
CLEAR = 0.65
"""Two kinds of ways, examples in groups, evaluated examples in groups: with less of any, no fit is worth its time."""


class Asked:
    """Evaluated examples, call by call: some calls may be on the training set, seen as it is."""

    def __init__(self) -> None:
        self._calls: list[torch.Tensor] = []

    def add(self, given: torch.Tensor) -> None:
        if len(self._calls) < MOST_CALLS and len(given) >= LEAST_OF_A_CALL:
            few = torch.linspace(0, len(given) - 1, min(MOST_OF_A_CALL, len(given))).long()
            self._calls.append(flat(given.detach()[few.to(given.device)]))

    def keys(self) -> set[int]:
        return {key for call in self._calls for key in rows.keys([call])}

    def new(self, trained: torch.Tensor) -> list[torch.Tensor]:
        """Those of calls on rows of the same width, none of which was trained on."""
        known = set(rows.keys([trained]))
        return [
            call
            for call in self._calls
            if call.shape[1] == trained.shape[1]
            and bool(torch.isfinite(call).all())
            and not known.intersection(rows.keys([call]))
        ]


def grouped(sample: Sample, asked: Asked) -> Groups:
    """Of the examples of one pass: what comes again a little changed is the same example, and no group."""
    inputs, answer = sample.inputs(), sample.answer()
    first = _first_of_each(sample.moments()[:, 2])
    chosen = distinct(inputs[:1])
    chosen = chosen[first[chosen]]
    parts = parts_of(answer[chosen])
    if len(inputs) != 1 or len(parts) != 1:
        return Groups()
    return compared(inputs[0][chosen], parts[0], asked.new(inputs[0]), len(sample.shapes[0]) >= SIGNAL)


def _first_of_each(origin: torch.Tensor) -> torch.Tensor:
    known: set[int] = set()
    found = []
    for row in origin.tolist():
        found.append(row < 0 or row not in known)
        known.add(row)
    return torch.tensor(found, dtype=torch.bool)


class TreeCut(NamedTuple):
    """Examples in a space, and where the tree of shortest ways is cut there."""

    here: torch.Tensor
    there: list[torch.Tensor]
    """Evaluated, by call."""
    ways: list[tuple[float, int, int]]
    border: float
    parted: float


class SkillLeftOut(NamedTuple):
    """Skill of the best plain fit on single examples left out, on whole groups, and the deviations of luck between."""

    rows: float = 0.0
    groups: float = 0.0
    lost: float = 0.0


def compared(table: torch.Tensor, answer: AnswerMet, calls: Sequence[torch.Tensor], one_unit: bool = False) -> Groups:
    """`table` has a row for each example trained on, and the calls one for each evaluated, none of which was."""
    table, answer = table[:MOST_EXAMPLES], AnswerMet(answer.values[:MOST_EXAMPLES], answer.classes)
    asked = sum(map(len, calls))
    if len(table) < LEAST_EXAMPLES or asked < LEAST_ASKED or int((table.std(0) > 0).sum()) < LEAST_COLUMNS:
        return Groups()
    spaces = [_scaled(table, calls), *(_without_noise(table, calls) if one_unit else ())]
    here, there, ways, border, parted = max((_cut(*space) for space in spaces), key=lambda cut: cut.parted)
    lengths = torch.tensor([length for length, _, _ in ways])
    groups = _joined(len(here), [(one, other) for length, one, other in ways if length <= border])
    sizes = torch.bincount(groups)
    shared = sizes[groups] > 1
    if int((sizes > 1).sum()) < LEAST_GROUPS:
        return Groups()
    known = min(float((torch.cdist(call, here[shared]).min(1).values <= border).float().mean()) for call in there)
    clear = min(parted, known, float(shared.float().mean())) >= CLEAR
    left_out = skills(here, answer, groups) if clear else SkillLeftOut()
    return Groups(
        examples=len(here),
        groups=int((sizes > 1).sum()),
        classes=answer.classes,
        shared=float(shared.float().mean()),
        largest=float(sizes.max()) / len(here),
        parted=parted,
        within=float(lengths[lengths <= border].median()),
        between=float(lengths[lengths > border].median()),
        agree=agreement(answer, groups),
        evaluated=len(torch.unique(torch.cat(list(calls)), dim=0)),
        known=known,
        by_rows=left_out.rows,
        by_groups=left_out.groups,
        lost=left_out.lost,
    )


def _cut(here: torch.Tensor, there: list[torch.Tensor]) -> TreeCut:
    ways = tree(distances(here).clamp_min(0).sqrt())
    return TreeCut(here, there, ways, *two_kinds(torch.tensor([length for length, _, _ in ways])))


Space = tuple[torch.Tensor, list[torch.Tensor]]


def _scaled(table: torch.Tensor, calls: Sequence[torch.Tensor]) -> Space:
    spread, centre = table.std(0), table.mean(0)
    here, *there = (((t - centre) / spread)[:, spread > 0].clamp(-MOST_WIDTH, MOST_WIDTH) for t in (table, *calls))
    return here, there


def _without_noise(table: torch.Tensor, calls: Sequence[torch.Tensor]) -> Iterator[Space]:
    """Along the directions in which examples differ more than by noise as large as it is along the middle one."""
    count, columns = table.shape
    if columns > MOST_TURNED:
        return
    centre = table.mean(0)
    squares, directions = torch.linalg.eigh(((table - centre).t() @ (table - centre)).double())
    noise = squares.clamp_min(0).median().sqrt() / math.sqrt(count)
    beyond = squares.clamp_min(0).sqrt() > BEYOND_NOISE * noise * (math.sqrt(count) + math.sqrt(columns))
    if LEAST_COLUMNS <= int(beyond.sum()) < columns:
        turn = (directions[:, beyond] / table.var(0).mean().sqrt()).float()
        here, *there = ((t - centre) @ turn for t in (table, *calls))
        yield here, there


def agreement(answer: AnswerMet, groups: torch.Tensor) -> float:
    """Share of what answers differ by that lies between groups: 1 where all of a group have the same."""
    code = torch.nn.functional.one_hot(answer.values.long(), answer.classes) if answer.classes else answer.values
    code = code.double().reshape(len(groups), -1)
    counts = torch.bincount(groups).double()[:, None]
    means = torch.zeros(len(counts), code.shape[1], dtype=torch.double).index_add_(0, groups, code) / counts
    several = counts[groups, 0] > 1
    left = (code - means[groups])[several].pow(2).sum(1) * (counts / (counts - 1).clamp_min(1))[groups, 0][several]
    return float(1 - left.mean() / (code - code.mean(0)).pow(2).sum(1).mean().clamp_min(1e-12))


def tree(apart: torch.Tensor) -> list[tuple[float, int, int]]:
    """The ways of the shortest tree over all examples: length and ends of each."""
    nearest, source = apart[0].clone(), torch.zeros(len(apart), dtype=torch.long)
    nearest[0] = torch.inf
    inside = torch.zeros(len(apart), dtype=torch.bool)
    inside[0] = True
    found = []
    for _ in range(len(apart) - 1):
        best = int(nearest.argmin())
        found.append((float(nearest[best]), int(source[best]), best))
        inside[best] = True
        nearer = (apart[best] < nearest) & ~inside
        nearest[nearer] = apart[best][nearer]
        source[nearer] = best
        nearest[best] = torch.inf
    return found


def two_kinds(lengths: torch.Tensor) -> tuple[float, float]:
    """The border between short ways and long ones, and the share of the spread of their sizes that lies between both.

    Of sizes that are of one kind, cut in the middle, two thirds do.
    """
    ordered = lengths.double().clamp_min(1e-12).log().sort().values
    spread = float((ordered - ordered.mean()).pow(2).sum())
    if not spread > 0:
        return float(lengths.max()), 0.0
    count = torch.arange(1, len(ordered))
    below = ordered.cumsum(0)[:-1] / count
    above = (ordered.sum() - ordered.cumsum(0)[:-1]) / (len(ordered) - count)
    between = count * (below - ordered.mean()).pow(2) + (len(ordered) - count) * (above - ordered.mean()).pow(2)
    best = int(between.argmax())
    return float(((ordered[best] + ordered[best + 1]) / 2).exp()), float(between[best]) / spread


def _joined(count: int, ways: Sequence[tuple[int, int]]) -> torch.Tensor:
    """The number of the group of each example."""
    group = list(range(count))

    def root(one: int) -> int:
        while group[one] != one:
            group[one] = group[group[one]]
            one = group[one]
        return one

    for one, other in ways:
        group[root(one)] = root(other)
    found: torch.Tensor = torch.unique(torch.tensor([root(one) for one in range(count)]), return_inverse=True)[1]
    return found


def skills(table: torch.Tensor, answer: AnswerMet, groups: torch.Tensor, most: int = MOST_FITTED) -> SkillLeftOut:
    """Of the best plain fit, where single examples are left out, and where whole groups are."""
    code = torch.nn.functional.one_hot(answer.values.long(), answer.classes) if answer.classes else answer.values
    table, groups, code = table[:most], groups[:most], code[:most]
    code = code.double().reshape(len(table), -1)
    base = float(_errors(code.mean(0, keepdim=True).expand_as(code), code, answer.classes).mean())
    if not base > 0:
        return SkillLeftOut()
    kernels = list(_kernels(table.double()))
    single, whole = (
        min(_left_out(kernels, code, answer.classes, part, deals), key=torch.mean)
        for part, deals in ((torch.arange(len(table)), 1), (groups, DEALS))
    )
    more = torch.zeros(int(groups.max()) + 1, dtype=torch.double).index_add_(0, groups, whole - single)
    lost = float(more.sum() / more.norm().clamp_min(1e-12))
    return SkillLeftOut(1 - float(single.mean()) / base, 1 - float(whole.mean()) / base, lost)


def _left_out(
    kernels: list[torch.Tensor], code: torch.Tensor, classes: int, part: torch.Tensor, deals: int
) -> Iterator[torch.Tensor]:
    """The errors of each row by each fit, where parts are left out together: the mean of a few ways to deal them."""
    generator = torch.Generator().manual_seed(0)
    dealt = (torch.randperm(int(part.max()) + 1, generator=generator, device="cpu")[part] for _ in range(deals))
    guesses = [list(_foretold(kernels, code, folds % FOLDS)) for folds in dealt]
    for fits in zip(*guesses, strict=True):
        yield torch.stack([_errors(guess, code, classes) for guess in fits]).mean(0)


def _errors(guess: torch.Tensor, code: torch.Tensor, classes: int) -> torch.Tensor:
    """Of each row: classes that are wrong, or squares."""
    if classes:
        return (guess.argmax(1) != code.argmax(1)).double()
    return (guess - code).pow(2).mean(1)


def _kernels(table: torch.Tensor) -> Iterator[torch.Tensor]:
    yield table @ table.t() / max(1, table.shape[1])
    squares = distances(table).clamp_min(0).fill_diagonal_(0)
    middle = squares.median()
    for width in (middle / 16, middle / 2):
        if width > 0:
            yield torch.exp(-squares / (2 * width))


def _foretold(kernels: list[torch.Tensor], code: torch.Tensor, folds: torch.Tensor) -> Iterator[torch.Tensor]:
    """By each kernel and ridge, the code of each fold from the others."""
    ridges = torch.tensor(RIDGES, dtype=torch.double)[:, None, None] * torch.eye(len(code), dtype=torch.double)
    for kernel in kernels:
        guesses = torch.zeros(len(RIDGES), *code.shape, dtype=torch.double)
        for fold in range(FOLDS):
            out, rest = folds == fold, folds != fold
            if not bool(out.any()) or not bool(rest.any()):
                continue
            mean = code[rest].mean(0)
            factors = torch.linalg.cholesky(kernel[rest][:, rest] + ridges[:, : int(rest.sum()), : int(rest.sum())])
            told = torch.cholesky_solve((code[rest] - mean).expand(len(RIDGES), -1, -1), factors)
            guesses[:, out] = kernel[out][:, rest] @ told + mean
        yield from guesses
