"""All relations of one sample of examples with its answers."""

import functools

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.composing import made_of
from firstlight.observe.inside.relations.guessing import guessed
from firstlight.observe.inside.relations.marking import marked
from firstlight.observe.inside.relations.neighbours import neighbours
from firstlight.observe.inside.relations.pockets import pockets
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, features_of, parts_of
from firstlight.observe.inside.relations.telling import CERTAIN, tells
from firstlight.records.doubts import Doubts
from firstlight.records.relations import MadeOf, Marked, Pocket, RelationsSeen, Repeats, Tells

LEAST_EXAMPLES = 64
TABLE = 1
"""Dimensions of an example that is a row of a table."""


def compared(sample: Sample, doubting: bool) -> functools.partial[RelationsSeen]:
    """The record, but for what the sample does not tell; with `doubting` what takes long, and is the same in copies."""
    record = functools.partial(RelationsSeen, met=sample.met)
    if sample.kept < LEAST_EXAMPLES:
        return functools.partial(record, examples=sample.kept, answers="many")
    inputs, answer = sample.inputs(), sample.answer()
    chosen = distinct(inputs)
    parts = parts_of(answer[chosen])
    found = functools.partial(
        record,
        examples=len(chosen),
        named=sample.named,
        answers="many" if not parts else "classes" if parts[0].classes else "values",
        classes=parts[0].classes if parts else 0,
        pockets=tuple(_pockets(sample, [given[chosen] for given in inputs], answer[chosen])),
        repeats=Repeats() if sample.cut else _repeats(inputs, answer),
    )
    if not parts or len(chosen) < LEAST_EXAMPLES:
        return found
    table = torch.cat([features_of(given[chosen]) for given in inputs], 1)
    moments = sample.moments()[chosen]
    doubts = guessed(table, parts[0]) if doubting and len(parts) == 1 else Doubts()
    return functools.partial(
        found,
        tells=_tells(table, parts),
        made_of=_made_of(sample, table, parts) if doubting else MadeOf(),
        marked=_marked(sample, [given[chosen] for given in inputs], parts) if doubting else Marked(),
        near=neighbours(table, parts, moments),
        doubts=doubts,
        doubted=tuple(tuple(moments[one.place].tolist()) for one in doubts.doubtful),
    )


def _tells(table: torch.Tensor, parts: list[AnswerMet]) -> Tells:
    """Where parts of an answer are told by other columns each, be it by copies of one another, it is the next state of
    what the columns are, or they put in another order."""
    found = [tells(table, part) for part in parts]
    if len({one.columns for one in found if one.columns or one.others >= CERTAIN}) > 1:
        return Tells(of=table.shape[1], others=max(one.power for one in found))
    return max(found, key=lambda one: (one.count > 0, one.power - one.others))


def _made_of(sample: Sample, table: torch.Tensor, parts: list[AnswerMet]) -> MadeOf:
    """Of the part of the answer for which what is added goes most against each other. Ids are no numbers to add."""
    if not all(sample.measured):
        return MadeOf()
    shape = sample.shapes[0] if len(sample.shapes) == 2 else ()  # of the only input, beside the answer
    return min((made_of(table, part, shape) for part in parts), key=lambda one: one.against)


def _marked(sample: Sample, inputs: list[torch.Tensor], parts: list[AnswerMet]) -> Marked:
    """By columns of tables, as they are."""
    columns = [given for given, shape in zip(inputs, sample.shapes, strict=False) if len(shape) <= TABLE]
    return marked(torch.cat(columns, 1), parts[0]) if columns and len(parts) == 1 else Marked()


def _pockets(sample: Sample, inputs: list[torch.Tensor], answer: torch.Tensor) -> list[Pocket]:
    found = []
    for index, (given, shape, measured) in enumerate(zip(inputs, sample.shapes, sample.measured, strict=False)):
        found += pockets(f"input {index}", given, by_column=len(shape) <= TABLE) if measured else []
    values = sample.measured[-1] and any(not part.classes for part in parts_of(answer))
    return found + (pockets("answer", answer, by_column=True) if values else [])


def _repeats(inputs: list[torch.Tensor], answer: torch.Tensor) -> Repeats:
    """An example that comes again with the same answer, in the next epoch say, is no second one."""
    parts = parts_of(answer)
    if len(parts) != 1 or not parts[0].classes:
        return Repeats()
    groups: dict[int, list[int]] = {}
    for key, tells_apart, label in zip(rows.keys(inputs), rows.telling(inputs), parts[0].values.tolist(), strict=True):
        if tells_apart:
            groups.setdefault(key, []).append(int(label))
    apart = [set(found) for found in groups.values() if len(set(found)) > 1]
    return Repeats(
        repeated=sum(len(found) for found in groups.values() if len(found) > 1),
        conflicting=sum(map(len, apart)),
        pair=tuple(sorted(apart[0])[:2]) if apart else (),
        room=rows.room(inputs),
    )
