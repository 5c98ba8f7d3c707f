"""Does the program hold a column that names the groups its examples are from, and are those told apart in evaluation?

Windows of one person, begun at different moments, are not near each other, so that no distance tells whose they are.
But a program that has its examples from people often has a column of their numbers, as long as the table of them.
"""

import itertools
from collections.abc import Iterator

import torch
from msgspec.structs import replace

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.grouping import LEAST_ASKED, LEAST_GROUPS, Asked, agreement, skills
from firstlight.observe.inside.relations.neighbours import scaled
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, parts_of
from firstlight.observe.inside.relations.standing import Standing
from firstlight.records.held_out import Groups

MOST_OF_A_GROUP = 100
"""Rows of the table, in the mean: what more rows have in common is a kind, and not whose they are."""
ONE_ANSWER = 0.75
"""Of what answers differ by, that lies between groups; where less does, no fit is worth its time."""
KNOWN = 0.5
"""Of the evaluated examples, that are of groups that were trained on."""
MOST_TRIED = 2
"""Columns."""
ROWS_FITTED = 320
"""Of each fit, of which there are two for windows."""
WINDOW = 2
"""Dimensions of an example: channels and moments."""


def named(sample: Sample, asked: Asked, standing: Standing) -> Groups:
    inputs, answer = sample.inputs(), sample.answer()
    chosen = distinct(inputs[:1])
    parts = parts_of(answer[chosen])
    if len(inputs) != 1 or len(parts) != 1:
        return Groups()
    given, calls = inputs[0][chosen], asked.new(inputs[0])
    if sum(map(len, calls)) < LEAST_ASKED:
        return Groups()
    columns = itertools.islice(_columns(given, calls, parts[0], standing), MOST_TRIED)
    told = [_fitted(found, groups, given, parts[0], sample.shapes[0]) for found, groups in columns]
    return max(told, key=lambda one: one.by_rows - one.by_groups, default=Groups())


def _columns(
    given: torch.Tensor, calls: list[torch.Tensor], answer: AnswerMet, standing: Standing
) -> Iterator[tuple[Groups, torch.Tensor]]:
    """That name many groups with one answer each, of which the evaluated examples are too, in every call; with the
    group of each example that was trained on."""
    for table in standing.tables(given.shape[1]):
        places = {key: place for place, key in enumerate(rows.keys([table]))}
        here, *there = ([places.get(key, -1) for key in rows.keys([part])] for part in (given, *calls))
        if min(map(min, (here, *there))) < 0:
            continue
        for column in filter(_names_groups, standing.columns(len(table))):
            names, groups = torch.unique(column[torch.tensor(here)], return_inverse=True)
            known = min(float(torch.isin(column[torch.tensor(call)], names).double().mean()) for call in there)
            agree = agreement(answer, groups)
            if len(names) >= LEAST_GROUPS and agree >= ONE_ANSWER and known >= KNOWN:
                evaluated = len(set(itertools.chain(*there)))
                yield (
                    Groups(
                        examples=len(given),
                        classes=answer.classes,
                        named=True,
                        groups=len(names),
                        agree=agree,
                        evaluated=evaluated,
                        known=known,
                    ),
                    groups,
                )


def _names_groups(column: torch.Tensor) -> bool:
    sizes = torch.unique(column, return_counts=True)[1].double()
    return bool((column == column.round()).all()) and 2 <= float(sizes.mean()) <= MOST_OF_A_GROUP


def _fitted(
    found: Groups, groups: torch.Tensor, given: torch.Tensor, answer: AnswerMet, shape: tuple[int, ...]
) -> Groups:
    """By the examples as they are, and windows by the level and the spread of each channel, wherever they begin."""
    described = [given]
    if len(shape) == WINDOW and given.shape[1] == shape[0] * shape[1]:
        windows = given.reshape(len(given), *shape)
        along = 1 + int(shape[1] >= shape[0])
        described.append(torch.cat([windows.mean(along), windows.std(along)], 1))
    fits = [skills(scaled(table), answer, groups, ROWS_FITTED) for table in described]
    return replace(found, by_rows=max(fit.rows for fit in fits), by_groups=max(fit.groups for fit in fits))
