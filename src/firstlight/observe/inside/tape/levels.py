"""Calls on the way of the data after which values that differed are the same: of inputs, and of answers.

On the way into the network, and to where a prediction meets them. A call is asked what became of the values it was
given: how many of them are one of a few afterwards, how many pairs that differed no longer do, and how much of what
they differed by can no longer be told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.compares import COMPARES
from firstlight.observe.inside.tape.reach import MOVES
from firstlight.observe.inside.tape.recorder import DRAWS, FLOORS, MOST_SAMPLED, PARAMETER, Cast, Recorder, Row
from firstlight.observe.inside.tape.sequences import OF_SEQUENCES, TABLE, real_labels, sequence_arguments
from firstlight.observe.inside.tape.tail import Meeting, Tail
from firstlight.records.places import Site

COMMONEST = 3
"""Values: both ends of a range, and its middle."""
MOST_CALLS = 64
MOST_ASKED = 32
MEANT = frozenset({"round", "sign", "heaviside", "where", "bucketize"})
"""Calls that are made to give few values."""
LIVELY = 0.5
"""Share of a column that may have one of few values for the column to be asked: flags and classes have no more."""
CROWDED = 0.9
"""The same, from which on next to nothing is left of a column that had many."""
LEAST_MERGED = 0.1
"""Share of the pairs; a fifth of the values cut off at one end are a twenty-fifth of the pairs."""
LEAST_LOST = 0.15
"""Share of the variance; standardised values that are cut off at zero lose more, four even steps of a range less."""
OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})
OUT_OF_RANGE = 1.0
"""By which a whole number is away from the number it was made of, at least, where its type cannot hold that."""


class ValueChange(NamedTuple):
    """What a call makes of the values it is given: means over the columns that are no flags."""

    before: float
    """Share of a column that has one of its commonest few values, before the call and after it: of those columns that
    have many; 1 where there is none."""
    after: float
    merged: float
    """Share of the pairs of values in a column: those that differ before and are the same afterwards."""
    lost: float
    """Share of the variance that is not known any more from what the call gave."""


UNCHANGED = ValueChange(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Levelled:
    operation: str
    line: Site | None
    change: ValueChange
    of: str = "inputs"
    """`inputs`, `answers` that are numbers, `classes` that were answers and no longer are, `rounding` of inputs, or of
    `constants` in the network."""
    wrapped: float = 0.0
    """Share of the values that a type of whole numbers could not hold, and made others of."""
    cast: bool = False
    """Whole numbers were made of others, before training."""
    gone: int = 0
    """Classes the network has an output for that never count: `ignored`, or taken for another."""
    ignored: bool = False
    rounded: float = 0.0
    """How far what the network is fed is from the same in double precision, over its deviation."""


def levelled(entered: Sequence[torch.Tensor], recorder: Recorder) -> Iterator[Levelled]:
    """Of calls that were given one tensor of data and made one of the same shape of it, nothing drawn."""
    seen: set[int] = set()
    for tensor in entered:
        for row, given, made in _way(tensor, recorder):
            if row.number in seen or len(seen) >= MOST_CALLS:
                break
            seen.add(row.number)
            if len(row.inputs) == 1 and uses_values(row.name) and (change := change_of(given, made)) is not None:
                yield Levelled(row.name, row.line, change)
    yield from _casts([tensor for tensor in entered if tensor.is_floating_point()], recorder, "inputs")


def levelled_answers(tail: Tail, recorder: Recorder, examples: int) -> Iterator[Levelled]:
    """Those of the data's own, not of a network's. Tokens in one long row may be padding, and so may their answers."""
    tokens = any(tensor.ndim == 1 and not tensor.is_floating_point() for tensor in recorder.entered)
    for meeting in {id(one.answer): one for one in tail.meetings if not one.marks & PARAMETER}.values():
        if meeting.row.name in OF_CLASSES and not meeting.answer.is_floating_point():
            yield from _classes(meeting, recorder, len(meeting.answer) == examples and not tokens)
        elif meeting.row.name in COMPARES:
            for row, given, made in _way(meeting.answer, recorder):
                change = change_of(given, made) if _of_one(row) and uses_values(row.name) else None
                if change is not None:
                    yield Levelled(row.name, row.line, change, "answers")
            yield from _casts([meeting.answer], recorder, "answers")
    for row in tail.rows:
        if row.name == OF_SEQUENCES and _are_blank(row):
            yield Levelled(row.name, row.line, UNCHANGED, "classes", gone=1, ignored=True)


def levels(change: ValueChange) -> bool:
    """Enough for it to be asked whether the program does better without the call; clipping what is far out does not."""
    few = change.before <= LIVELY and change.after >= CROWDED
    return few or (change.merged >= LEAST_MERGED and change.lost >= LEAST_LOST)


def _way(tensor: torch.Tensor, recorder: Recorder) -> Iterator[tuple[Row, torch.Tensor, torch.Tensor]]:
    """The calls behind a tensor, with what each was given first and what it made of it."""
    made, origin = tensor, recorder.made(tensor)
    while origin is not None and origin[0].inputs:
        row = origin[0]
        given, _, origin = row.inputs[0]
        yield row, given, made
        made = given


def _of_one(row: Row) -> bool:
    """Whatever else it is given are single numbers."""
    return all(tensor.numel() == 1 for tensor, _, _ in row.inputs[1:])


def _casts(tensors: Sequence[torch.Tensor], recorder: Recorder, of: str) -> Iterator[Levelled]:
    """Made before the tape was read whole, of which a few values were kept."""
    for cast in _kept(tensors, recorder):
        if (change := change_of(cast.before, cast.after)) is not None:
            yield Levelled(cast.name, cast.line, change, of, wrapped=_wrapped(cast), cast=True)


def _kept(tensors: Sequence[torch.Tensor], recorder: Recorder) -> list[Cast]:
    found = [made[0].cast for tensor in tensors if (made := recorder.made(tensor)) is not None]
    return list({id(cast): cast for cast in found if cast is not None}.values())


def _wrapped(cast: Cast) -> float:
    if cast.name in FLOORS:
        return 0.0
    return float(((cast.after.double() - cast.before.double()).abs() > OUT_OF_RANGE).double().mean())


def _classes(meeting: Meeting, recorder: Recorder, single: bool) -> Iterator[Levelled]:
    """Classes for which the network has an output, that were answers before a call and no longer are.

    Where there is one answer an example, none of them is padding, so that an ignored class is missing too; nor is what
    stands among the answers of a sequence.
    """
    outputs = next(t.shape[1 if t.ndim > 1 else 0] for t, _, _ in meeting.row.inputs if t.requires_grad)
    ignored = meeting.row.keywords.get("ignore_index", -100)
    for row, given, made in _way(meeting.answer, recorder):
        if row.name in MOVES:
            continue
        if given.shape != made.shape or given.is_floating_point() or given.dtype == torch.bool or row.name in DRAWS:
            break
        if merged := _merged(given, meeting.answer, outputs, ignored):
            yield Levelled(row.name, row.line, UNCHANGED, "classes", gone=merged)
            break
    for cast in _kept([meeting.answer], recorder):
        if not cast.before.is_floating_point() and (merged := _merged(cast.before, cast.after, outputs, ignored)):
            yield Levelled(cast.name, cast.line, UNCHANGED, "classes", gone=merged)
    if not 0 <= ignored < outputs or not bool((meeting.answer == ignored).any()):
        return
    if single or _stands_among(meeting, recorder, ignored):
        yield Levelled(meeting.row.name, meeting.row.line, UNCHANGED, "classes", gone=1, ignored=True)


def _are_blank(row: Row) -> bool:
    """A label is the class that stands for "no label here"; what lies behind the labels of a row is padding."""
    given = sequence_arguments(row)
    labels, blank = given.get("targets"), given.get("blank")
    if not isinstance(labels, torch.Tensor):
        return False
    labels = real_labels(labels, given.get("target_lengths"))
    return bool((labels == (blank or 0)).any())


def _stands_among(meeting: Meeting, recorder: Recorder, ignored: int) -> bool:
    """A class is no padding where other answers come before it and after it, along rows and along columns.

    Which of the two are sequences need not be known: padding lies at an end of them.
    """
    before = (given for row, given, _ in _way(meeting.answer, recorder) if row.name in MOVES)
    table = next((one for one in (meeting.answer, *before) if one.ndim == TABLE), None)
    if table is None:
        return False
    asked = (table != ignored).long()
    inside = [
        (asked.cumsum(axis) > 0) & (asked.flip(axis).cumsum(axis).flip(axis) > 0) & (asked == 0)
        for axis in range(TABLE)
    ]
    return min(int(one.sum()) for one in inside) >= AMONG * int((asked == 0).sum())


AMONG = 0.1
"""Of the answers of an ignored class, those that stand among others; of padding, none does."""


def _merged(given: torch.Tensor, made: torch.Tensor, outputs: int, ignored: int) -> int:
    """Classes that became others, if every class became one and some of them the same.

    Where the network has fewer outputs than there were classes, it is meant to tell only so many apart.
    """
    pairs = torch.unique(torch.stack([given.reshape(-1).long(), made.reshape(-1).long()]), dim=1)
    asked = (pairs[0] >= 0) & (pairs[0] != ignored) & (pairs[1] >= 0) & (pairs[1] != ignored)
    before, after = pairs[0][asked], pairs[1][asked]
    if not len(before) or int(before.max()) >= outputs or len(torch.unique(before)) < len(before):
        return 0
    return len(before) - len(torch.unique(after))


def uses_values(name: str) -> bool:
    """Of what it is given, and not its shape alone or on purpose few of them."""
    return name.rstrip("_") not in DRAWS | MEANT and not name.endswith("_like")


def change_of(given: torch.Tensor, made: torch.Tensor) -> ValueChange | None:
    """None where the two cannot be compared, or were given flags alone: those have nothing to lose."""
    if not _comparable(given, made):
        return None
    columns = zip(_columns(given), _columns(made), strict=True)
    pairs = [(one, other) for one, other in columns if len(torch.unique(one)) > COMMONEST]
    if not pairs:
        return None
    crowds = [(crowd, _crowd(other)) for one, other in pairs if (crowd := _crowd(one)) <= LIVELY] or [(1.0, 1.0)]
    return ValueChange(*_means(crowds), *_means([_lost(one, other) for one, other in pairs]))


def _means(pairs: Sequence[tuple[float, float]]) -> Iterator[float]:
    return (sum(values) / len(pairs) for values in zip(*pairs, strict=True))


def _columns(values: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Each by itself, or all values together where there are none, or too many."""
    columns = values.shape[-1] if values.ndim > 1 and values.shape[-1] <= MOST_ASKED else 1
    table = values.detach().reshape(-1, columns)
    return table[:: len(table) // MOST_SAMPLED + 1].double().unbind(1)


def _crowd(values: torch.Tensor) -> float:
    counts = torch.unique(values, return_counts=True)[1]
    return float(counts.sort(descending=True).values[:COMMONEST].sum() / values.numel())


def _lost(given: torch.Tensor, made: torch.Tensor) -> tuple[float, float]:
    """Pairs that became the same, and the variance within what became the same."""
    place, counts = torch.unique(made, return_inverse=True, return_counts=True)[1:]
    own = torch.unique(given, return_counts=True)[1]
    pairs = float((counts.double().square().sum() - own.double().square().sum()) / len(given) ** 2)
    means = torch.zeros(len(counts), dtype=given.dtype, device=given.device).index_add(0, place, given) / counts
    return pairs, float((given - means[place]).square().mean() / given.var(correction=0))


def _comparable(given: torch.Tensor, made: torch.Tensor) -> bool:
    plain = made.dtype != torch.bool and not made.is_complex() and made.layout == given.layout == torch.strided
    return plain and given.is_floating_point() and made.shape == given.shape and given.numel() > 0
