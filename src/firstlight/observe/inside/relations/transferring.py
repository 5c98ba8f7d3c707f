"""Does what training examples tell of their answers hold for evaluated ones?

A plain fit learns from training examples and is asked about others of them, and about evaluated examples; another
learns from a part of the evaluated examples and is asked about the rest of those. Where both sides can be learnt alone
and one says nothing of the other, inputs or answers mean something else there. Small whole numbers may be names of
categories, so each of them is a column of its own here.

Evaluated examples are left out in stretches of their order, as they came: neighbours may be of one recording.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from msgspec.structs import replace

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.guessing import RIDGES
from firstlight.observe.inside.relations.held_out import HeldPart
from firstlight.observe.inside.relations.meanings import codes_in, other_codes
from firstlight.observe.inside.relations.neighbours import COUNT, distances
from firstlight.observe.inside.relations.parting import parted
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, features_of, parts_of
from firstlight.records.held_out import Transfer

LEAST_TRAINED, LEAST_EVALUATED = 256, 96
MOST_FITTED = 512
MOST_TOLD_APART = 256
"""Of each side, when it is asked whether their inputs differ."""
PARTS = 4
FARTHEST = 5.0
"""Deviations of a column; what lies farther out counts as if it lay there."""
MOST_KNOWN = 0.5
"""An evaluation of which so many examples are trained on is one of the training set."""
MOST_LEFT = 0.75
"""Of what either side tells by itself, for which it is worth asking where the rest is."""
CLOSE = 0.98
"""Correlation from which on two are as good as the same."""
OTHER_UNITS = 4.0
"""Ratio of the deviations of the answers, from which on the two sides count them in other units."""


class BothSides(NamedTuple):
    """Rows of numbers, on the scale of training."""

    here: torch.Tensor
    there: torch.Tensor
    rescaled: torch.Tensor
    """Those evaluated, on their own scale."""


def transfer(trained: Sample, parts: Sequence[HeldPart]) -> Transfer:
    """Of the evaluation for which training tells most: others may be of another kind on purpose."""
    found = [
        replace(told, site=part.site, scores=tuple(part.scores.items()))
        for part in parts
        if part.sample.kept >= LEAST_EVALUATED and (told := _of_part(trained, part.sample)) is not None
    ]
    return max(found, key=lambda one: one.across / max(one.here, one.there, 1e-9), default=Transfer())


def _of_part(trained: Sample, asked: Sample) -> Transfer | None:
    here, there = _examples(trained), _examples(asked)
    if not _comparable(here, there):
        return None
    answers = parts_of(torch.cat([here.answer, there.answer]))
    if len(answers) != 1:
        return None
    code = _coded(answers[0]).split([len(here.answer), len(there.answer)])
    coded = codes_in(here.inputs, there.inputs)
    few, some = _evenly(len(here.answer)), _evenly(len(there.answer))
    tables = _tables([given[few] for given in here.inputs], [given[some] for given in there.inputs])
    codes = [torch.cat([one.here[few], one.there[some]]) for one in coded]
    sides, given, asked_for = _sides(tables, codes, len(few)), code[0][few], code[1][some]
    found = _compared(sides, given, asked_for)
    found = replace(found, parted=_parted(found, given, asked_for))
    if _holds(found):
        return found
    return replace(found, columns=other_codes(coded, *code))


class Examples(NamedTuple):
    inputs: list[torch.Tensor]
    answer: torch.Tensor


def _examples(sample: Sample) -> Examples:
    """Each of them once, in the order they came: one that is augmented anew in a later pass is the same example."""
    inputs = sample.inputs()
    chosen = distinct(inputs)
    places = sample.moments()[chosen, 2].tolist()
    firsts = {place: at for at, place in reversed(list(enumerate(places)))}
    chosen = chosen[[at for at, place in enumerate(places) if place < 0 or firsts[place] == at]]
    return Examples([given[chosen] for given in inputs], sample.answer()[chosen])


def _comparable(here: Examples, there: Examples) -> bool:
    if len(here.answer) < LEAST_TRAINED or len(there.answer) < LEAST_EVALUATED:
        return False
    same = [one.shape[1] for one in (*here.inputs, here.answer)] == [
        one.shape[1] for one in (*there.inputs, there.answer)
    ]
    known = set(rows.keys(here.inputs)) if same else set()
    return same and sum(key in known for key in rows.keys(there.inputs)) <= MOST_KNOWN * len(there.answer)


def _parted(found: Transfer, given: torch.Tensor, asked: torch.Tensor) -> float:
    """By the answers, unless they are in other units; or by what is lost of a relation that holds on either side."""
    told, there = float(given.std()), float(asked.std())
    same_units = given.shape[1] > 1 or max(told, there) < OTHER_UNITS * min(told, there)
    own, across = (math.atanh(max(0.0, min(one, CLOSE))) for one in (min(found.here, found.there), found.across))
    lost = (own - across) / math.sqrt(1 / found.trained + 1 / found.evaluated)
    return max(lost, parted(given, asked) if same_units else 0.0)


def _holds(found: Transfer) -> bool:
    """So much that nobody asks why it is not all."""
    return not found.across <= MOST_LEFT * min(found.here, found.there)


def _evenly(count: int) -> torch.Tensor:
    return torch.linspace(0, count - 1, min(count, MOST_FITTED)).round().long()


def _coded(answer: AnswerMet) -> torch.Tensor:
    if answer.classes:
        return torch.nn.functional.one_hot(answer.values.long(), answer.classes).double()
    return answer.values.double().reshape(-1, 1)


def _tables(here: list[torch.Tensor], there: list[torch.Tensor]) -> list[torch.Tensor]:
    """Features of both sides, one under the other: what they are features of is decided for both at once."""
    return [features_of(torch.cat(pair)) for pair in zip(here, there, strict=True)]


def _sides(tables: list[torch.Tensor], codes: list[torch.Tensor], count: int) -> BothSides:
    table = torch.cat([*tables, *map(torch.nn.functional.one_hot, codes)], 1).double()
    own, other = table[:count], table[count:]
    return BothSides(_scaled(own, own), _scaled(other, own), _scaled(other, other))


def _scaled(table: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    spread = by.std(0)
    return ((table - by.mean(0)) / spread.clamp_min(1e-12) * (spread > 0)).clamp(-FARTHEST, FARTHEST)


def _compared(sides: BothSides, given: torch.Tensor, asked: torch.Tensor) -> Transfer:
    here, there = len(given), len(asked)
    dealt = torch.randperm(here, generator=torch.Generator().manual_seed(0), device="cpu") % PARTS
    stretches = torch.arange(there) * PARTS // there
    kernels = _kernels(torch.cat([sides.here, sides.there]), here)
    own, other = kernels[:, :here, :here], kernels[:, here:, here:]
    across = _foretold(own, kernels[:, here:, :here], given)
    found = Transfer(
        trained=here,
        evaluated=there,
        here=_best(_left_out(own, given, dealt), given),
        there=_best(_left_out(other, asked, stretches), asked),
        across=_best(across, asked),
    )
    if _holds(found):
        return found
    again = _kernels(torch.cat([sides.here, sides.rescaled]), here)[:, here:, :here]
    return replace(
        found,
        apart=_told_apart(sides),
        relabelled=max(_relabelled(guess, asked) for guess in across),
        rescaled=_best(_foretold(own, again, given), asked),
    )


def _kernels(table: torch.Tensor, here: int) -> torch.Tensor:
    """A line in the features, and bells as wide as the nearest training examples and as the usual ones lie apart."""
    apart = distances(table).clamp_min(0)
    own = apart[:here, :here]
    apart = apart.fill_diagonal_(0)
    widths = (own.topk(COUNT, largest=False).values[:, -1].median(), own.flatten()[:: here // 2 + 1].median())
    bells = [torch.exp(-apart / (2 * width)) for width in widths if width > 0]
    return torch.stack([table @ table.t() / max(1, table.shape[1]), *bells])


def _foretold(own: torch.Tensor, between: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    """By each kernel and ridge, the code of rows that were not fitted."""
    mean = code.mean(0)
    ridges = torch.tensor(RIDGES, dtype=own.dtype)[:, None, None] * torch.eye(own.shape[1], dtype=own.dtype)
    found = []
    for kernel, asked in zip(own, between, strict=True):
        factors = torch.linalg.cholesky(kernel + ridges)
        found.append(asked @ torch.cholesky_solve((code - mean).expand(len(RIDGES), -1, -1), factors) + mean)
    return torch.cat(found)


def _left_out(kernels: torch.Tensor, code: torch.Tensor, folds: torch.Tensor) -> torch.Tensor:
    found = torch.zeros(len(kernels) * len(RIDGES), *code.shape, dtype=code.dtype)
    for fold in range(PARTS):
        out, rest = folds == fold, folds != fold
        found[:, out] = _foretold(kernels[:, rest][:, :, rest], kernels[:, out][:, :, rest], code[rest])
    return found


def _best(guesses: torch.Tensor, code: torch.Tensor) -> float:
    return max(agreement(guess, code) for guess in guesses)


def agreement(guess: torch.Tensor, code: torch.Tensor) -> float:
    """Correlation over all columns; those of a class that is rare count little."""
    guess, code = guess - guess.mean(0), code - code.mean(0)
    size = float(guess.norm() * code.norm())
    return float((guess * code).sum()) / size if size > 0 else 0.0


def _told_apart(sides: BothSides) -> float:
    """How well inputs alone tell on which side they are."""
    few = min(MOST_TOLD_APART, len(sides.here), len(sides.there))
    chosen = [torch.linspace(0, len(side) - 1, few).long() for side in (sides.here, sides.there)]
    table = torch.cat([sides.here[chosen[0]], sides.there[chosen[1]]])
    code = torch.cat([torch.ones(few, 1), -torch.ones(few, 1)]).double()
    folds = torch.randperm(2 * few, generator=torch.Generator().manual_seed(0), device="cpu") % PARTS
    return _best(_left_out(_kernels(table, len(table)), code, folds), code)


def _relabelled(guess: torch.Tensor, code: torch.Tensor) -> float:
    """Agreement with classes of other numbers, which are read off one half of the examples and tried on the other."""
    if code.shape[1] == 1:
        return 0.0
    centred = (guess - guess.mean(0))[0::2].t() @ (code - code.mean(0))[0::2]
    order = torch.zeros(code.shape[1], dtype=torch.long)
    for _ in range(code.shape[1]):
        place = int(centred.argmax())
        row, column = divmod(place, code.shape[1])
        order[column] = row
        centred[row], centred[:, column] = -torch.inf, -torch.inf
    return agreement(guess[1::2][:, order], code[1::2])
