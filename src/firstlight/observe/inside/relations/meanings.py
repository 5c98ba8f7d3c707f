"""Columns of codes: small whole numbers that may be the names of categories. Does each mean the same on both sides?

A code that stands for the same category goes with the same answers. Where codes of a column tell much of the answers on
either side, and not the same, they were given out anew.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

LEAST_CODES, MOST_CODES = 3, 64
MOST_COLUMNS = 16
LEAST_OF_A_CODE = 5
"""Examples on either side."""
CLEAR = 5.0
"""Deviations by which the answers of codes differ from one another, and from those of the same codes elsewhere."""
ALIKE = 0.6
"""Correlation of what codes mean on both sides, from which on they are the same codes, a little changed."""


class Codes(NamedTuple):
    """One column, counted from 0 over both sides."""

    place: tuple[int, int]
    """Input, and column of it."""
    here: torch.Tensor
    there: torch.Tensor
    kinds: int


def codes_in(here: Sequence[torch.Tensor], there: Sequence[torch.Tensor]) -> list[Codes]:
    """None where there are many: those are pixels or words."""
    found: list[Codes] = []
    for index, (own, other) in enumerate(zip(here, there, strict=True)):
        for column in range(own.shape[1]):
            values = torch.cat([own[:, column], other[:, column]])
            kinds, places = torch.unique(values, return_inverse=True)
            if LEAST_CODES <= len(kinds) <= MOST_CODES and bool((kinds == kinds.round()).all()):
                found.append(Codes((index, column), places[: len(own)], places[len(own) :], len(kinds)))
            if len(found) > MOST_COLUMNS:
                return []
    return found


def other_codes(coded: Sequence[Codes], given: torch.Tensor, asked: torch.Tensor) -> tuple[tuple[int, int], ...]:
    """Columns whose codes mean something on either side, and something else."""
    return tuple(codes.place for codes in coded if _differ(codes, given, asked))


def _differ(codes: Codes, given: torch.Tensor, asked: torch.Tensor) -> bool:
    counts = [torch.bincount(side, minlength=codes.kinds).double() for side in (codes.here, codes.there)]
    often = torch.minimum(*counts) >= LEAST_OF_A_CODE
    if int(often.sum()) < LEAST_CODES:
        return False
    here, there = (
        _means(side, answers, count)[often]
        for side, answers, count in zip((codes.here, codes.there), (given, asked), counts, strict=True)
    )
    noise = [answers.var(0) / count[often, None] for answers, count in zip((given, asked), counts, strict=True)]
    told = min(_deviations(side, own) for side, own in zip((here, there), noise, strict=True))
    moved = _deviations(here - there, noise[0] + noise[1])
    size = float(here.norm() * there.norm())
    return told >= CLEAR and moved >= CLEAR and float((here * there).sum()) < ALIKE * size


def _means(codes: torch.Tensor, answers: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    """Of the answers of each code, beside those of all."""
    sums = torch.zeros(len(count), answers.shape[1], dtype=answers.dtype).index_add_(0, codes, answers)
    return sums / count.clamp_min(1)[:, None] - answers.mean(0)


def _deviations(means: torch.Tensor, noise: torch.Tensor) -> float:
    """By which the squares exceed those of chance."""
    squares = means.pow(2) / noise.clamp_min(1e-12)
    return float((squares.sum() - squares.numel()) / math.sqrt(2 * squares.numel()))
