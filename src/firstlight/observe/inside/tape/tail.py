"""The tail of the loss: from where no trained tensor enters any more, to the value that backward is called on.

In it predictions meet the answers: something that rests on trained tensors and carries a gradient is put together
with something from the data that does not. The tail can be computed again with other answers.
"""

import contextlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from firstlight.observe.inside.tape.compares import PRODUCTS, SELECTS, going_on, is_comparison
from firstlight.observe.inside.tape.examples import is_of_pairs
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark, Recorder, Row, walk
from firstlight.records.places import Site

INDEXED_AXIS = {"index_select": 0, "gather": 1, "take_along_dim": 1}


class NotRepeatableError(Exception):
    """The loss cannot be computed again from its rows."""


CANNOT = (NotRepeatableError, RuntimeError, TypeError, ValueError, IndexError)
"""What a replay with other values may raise: losses refuse what they hold to be impossible."""


@dataclass(frozen=True)
class Meeting:
    """An answer, and the row at which predictions meet it."""

    row: Row
    answer: torch.Tensor
    marks: Mark


@dataclass(frozen=True)
class Tail:
    loss: torch.Tensor
    rows: tuple[Row, ...]
    """In the order they were made; the last one made the loss."""
    meetings: tuple[Meeting, ...]

    @property
    def line(self) -> Site | None:
        return self.meetings[0].row.line if self.meetings else None

    @property
    def own_answers(self) -> bool:
        """The network itself had a hand in them: a bootstrap, an action it chose, a pseudo-label."""
        return any(meeting.marks & Mark.TRAINED for meeting in self.meetings)

    @property
    def weighted(self) -> bool:
        """Products with numbers of both signs, as with what an action earned: what is good may be bad behind them."""
        return any(
            meeting.row.name in PRODUCTS
            and meeting.answer.is_floating_point()
            and bool((meeting.answer < 0).any() and (meeting.answer > 0).any())
            for meeting in self.meetings
        )

    def replay(self, instead: Mapping[int, torch.Tensor], on_cpu: bool = False) -> torch.Tensor:
        """The loss with other tensors in place of those with these ids.

        On the CPU where they hold values that the program never had: there a loss that holds them to be impossible
        raises, and on an accelerator it would take the program with it.
        """
        values, last = self.values(instead, on_cpu), self.rows[-1]
        if (last.number, 0) not in values:
            raise NotRepeatableError
        return values[last.number, 0]

    def values(self, instead: Mapping[int, torch.Tensor], on_cpu: bool = False) -> dict[tuple[int, int], torch.Tensor]:
        """All that rests on those tensors, by the number of the row that made it and its place among the outputs."""
        values: dict[tuple[int, int], torch.Tensor] = {}
        reached: set[int] = set()
        for row in self.following(instead, reached):
            told = {}
            for tensor, _, made in row.inputs:
                if id(tensor) in instead:
                    told[id(tensor)] = instead[id(tensor)]
                elif made is not None and (made[0].number, made[1]) in values:
                    told[id(tensor)] = values[made[0].number, made[1]]
            if told:
                reached.add(row.number)
                values.update({(row.number, at): tensor for at, tensor in enumerate(_call(row, told, on_cpu))})
        return values

    def following(self, tensors: Iterable[int], reached: AbstractSet[int]) -> Iterator[Row]:
        """Rows that are given one of the tensors with these ids or what a row in `reached` made, in their order; who
        asks adds to it on the way. A policy asked at each move of its episodes leaves thousands of others."""
        read, followed = self._readers
        waiting = sorted({place for tensor in tensors for place in read.get(tensor, ())})
        seen = set(waiting)
        while waiting:
            row = self.rows[heapq.heappop(waiting)]
            yield row
            for place in followed.get(row.number, ()) if row.number in reached else ():
                if place not in seen:
                    seen.add(place)
                    heapq.heappush(waiting, place)

    @cached_property
    def _readers(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """The places of the rows that are given a tensor, by its id; and by the number of the row that made it."""
        read: dict[int, list[int]] = defaultdict(list)
        followed: dict[int, list[int]] = defaultdict(list)
        for place, row in enumerate(self.rows):
            for tensor, _, made in row.inputs:
                read[id(tensor)].append(place)
                if made is not None:
                    followed[made[0].number].append(place)
        return read, followed


def tail_of(recorder: Recorder, loss: torch.Tensor, read_again: bool = False) -> Tail | None:
    """None where the loss was not made by calls that were seen.

    With `read_again` it has the meetings too whose outcome a later layer reads, as each coupling of a flow reads the
    one before. Whose answer is whose can be asked there; what other predictions would do cannot, as that layer would
    have to be called again.
    """
    made = recorder.made(loss)
    if made is None or made[0].arguments is None or made[0].door:
        return None
    rows = tuple(sorted(walk(made[0]), key=lambda row: row.number))
    found = [meeting for row in rows for meeting in meetings_at(row)]
    real = [meeting for meeting in found if meeting.marks & (Mark.DATA | Mark.DRAWN | PARAMETER)]
    last = tuple(_last(rows, real or found))
    return Tail(loss, rows, tuple(one for one in last if read_again or is_comparison(one.row) or not one.row.enters))


def _last(rows: tuple[Row, ...], found: list[Meeting]) -> Iterator[Meeting]:
    """Without those that are a part of the network: what comes of them is compared with data later."""
    still = going_on(rows, {meeting.row.number for meeting in found})
    yield from (one for one in found if is_comparison(one.row) or one.row.number not in still)


def meetings_at(row: Row) -> Iterator[Meeting]:
    predicted = [
        tensor
        for tensor, marks, _ in row.inputs
        if tensor.requires_grad and tensor.ndim and marks & Mark.TRAINED and marks & ~PARAMETER
    ]
    if not predicted:
        return
    lengths = {tensor.shape[0] for tensor in predicted}
    chosen = _selection(row)
    for tensor, marks, _ in row.inputs:
        could = tensor.ndim > 0 and tensor.shape[0] in lengths and tensor.numel() > 0
        could = could and (tensor.dtype != torch.bool or is_of_pairs(tensor) or _decides(row, marks))
        if could and not tensor.requires_grad and marks & ~PARAMETER and tensor is not chosen:
            yield Meeting(row, tensor, marks)


def _decides(row: Row, marks: Mark) -> bool:
    """Which of two predictions counts is said by the data: `where(y == 1, p, 1 - p)`. A mask has one, and a loss with
    a bend is bent by the predictions."""
    return row.name == "where" and not marks & PARAMETER and sum(item[0].requires_grad for item in row.inputs) == BOTH


BOTH = 2


def _selection(row: Row) -> torch.Tensor | None:
    """The index that picks examples, which belongs to the predictions; one that picks classes is an answer."""
    if row.name not in SELECTS or row.arguments is None or len(row.arguments) < 2:
        return None
    if row.name == "__getitem__":
        index = row.arguments[1]
        first = index[0] if isinstance(index, tuple) and index else index
        return first if isinstance(first, torch.Tensor) else None
    place = 1 if row.name == "take_along_dim" else 2
    dim = row.keywords.get(
        "dim", row.arguments[3 - place] if len(row.arguments) > 3 - place else INDEXED_AXIS[row.name]
    )
    index = (
        row.arguments[place] if len(row.arguments) > place else row.keywords.get("index", row.keywords.get("indices"))
    )
    return index if dim == 0 and isinstance(index, torch.Tensor) else None


def _call(row: Row, told: dict[int, torch.Tensor], on_cpu: bool) -> list[torch.Tensor]:
    assert row.arguments is not None
    if row.writes:
        told = {**told, id(row.arguments[0]): _before(row, told).clone()}
    arguments, keywords = (replaced(given, told, on_cpu) for given in (row.arguments, row.keywords))
    with _as_then(row, on_cpu):
        result = row.function(*arguments, **keywords)
    found = arguments[0] if row.name == "__setitem__" else result
    return [found] if isinstance(found, torch.Tensor) else [item for item in found if isinstance(item, torch.Tensor)]


def _before(row: Row, told: dict[int, torch.Tensor]) -> torch.Tensor:
    assert row.arguments is not None
    found = told.get(id(row.arguments[0]), row.before)
    if found is None:
        raise NotRepeatableError
    return found


def _as_then(row: Row, on_cpu: bool) -> contextlib.AbstractContextManager[Any]:
    if row.autocast is None:
        return contextlib.nullcontext()
    device, dtype = row.autocast
    return torch.autocast("cpu" if on_cpu else device, dtype=dtype)


def replaced(tree: Any, told: dict[int, torch.Tensor], on_cpu: bool = False) -> Any:
    """Arguments of a call with other tensors in place of those with these ids."""
    if isinstance(tree, torch.Tensor):
        found = told.get(id(tree), tree)
        return found.cpu() if on_cpu else found
    if type(tree) in (list, tuple):
        return type(tree)(replaced(item, told, on_cpu) for item in tree)
    if isinstance(tree, dict):
        return {key: replaced(item, told, on_cpu) for key, item in tree.items()}
    return tree
