"""Does what ends a sequence ever count in the loss, where the places before it do?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.relations.counting import slope_of
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.relations import Ends

LOOKS = 16
MOST_PLACES = 1 << 18
"""Of a batch; larger ones are not asked."""
DIFFERENT = 4
"""Different ones that count: fewer may be found in a row of ids by chance."""
TWO = 2
OF_CLASSES = ("cross_entropy", "nll_loss")


@dataclass(frozen=True)
class AskedRows:
    """Rows of ids of which each place is asked for from those before it."""

    ids: torch.Tensor
    counts: torch.Tensor
    """For each of them, whether it has any influence on the loss."""

    @property
    def ends(self) -> torch.Tensor:
        """The place after the last one that counts, which may be one beyond the row."""
        return self.ids.shape[1] - self.counts.flip(1).long().argmax(1)

    def runs(self, end: int) -> torch.Tensor:
        """How often that id comes from there on, one after the other."""
        before = torch.arange(self.ids.shape[1])[None] < self.ends[:, None]
        return ((self.ids == end) | before).long().cumprod(1).sum(1) - self.ends

    def at(self, places: torch.Tensor) -> torch.Tensor:
        return self.ids.gather(1, places[:, None]).squeeze(1)


class EndsCounted:
    """Adds up over steps what comes after the last place of a row that counts, and what that one holds."""

    def __init__(self) -> None:
        self.steps = self.rows = self.followed = self.content = self.bounded = 0
        self.end: int | None = None
        self._last: Counter[int] = Counter()
        self._counted: Counter[int] = Counter()
        self._lengths: set[int] = set()
        self._widths: set[int] = set()

    def add(self, tail: Tail, given: Sequence[torch.Tensor]) -> None:
        """`given` is all that the model may have had its ids from, masks among it."""
        met = [one for one in tail.meetings if not one.answer.is_floating_point()]  # others are weights
        if self.steps >= LOOKS or len(met) != 1:
            return
        batch = next(_batches(tail, met[0], given), None)
        if batch is not None:
            self.steps += 1
            self._widths.add(batch.ids.shape[1])
            self._counted.update(batch.ids[batch.counts].tolist())
            some = batch.counts.any(1)
            self._add(AskedRows(batch.ids[some], batch.counts[some]), [m[some] for m in _masks(batch, given)])

    def _add(self, batch: AskedRows, masks: list[torch.Tensor]) -> None:
        ends, width = batch.ends, batch.ids.shape[1]
        self.rows += len(ends)
        self._last.update(batch.at(ends - 1).tolist())
        self._lengths.update(batch.counts.sum(1).tolist())
        after = Counter(batch.at(ends.clamp_max(width - 1))[ends < width].tolist())
        if self.end is None and after:
            self.end = after.most_common(1)[0][0]
        if self.end is None:
            return
        runs = batch.runs(self.end)
        self.followed += int((runs > 0).sum())
        self.bounded += int(runs.min()) == 1
        self.content += max((_single(batch, runs, mask) for mask in masks), default=0)

    def seen(self) -> Ends:
        if self.end is None:
            return Ends()
        return Ends(
            steps=self.steps,
            rows=self.rows,
            end=self.end,
            followed=self.followed,
            content=self.content,
            bounded=self.bounded,
            widths=len(self._widths),
            counted=self._counted[self.end],
            lengths=len(self._lengths),
            alike=max(self._last.values()) / self.rows,
        )


def _batches(tail: Tail, meeting: Meeting, given: Sequence[torch.Tensor]) -> Iterator[AskedRows]:
    """Found where every answer that counts is the next id of its row."""
    answer = meeting.answer
    if answer.numel() > MOST_PLACES or answer.is_complex() or not reading.readable(answer):
        return
    tables = [table for table in _tables(given) if _may_hold(table, answer)]
    counts = _counting(tail, meeting) if tables else None
    if counts is None:
        return
    for table in tables:
        rows, inner = len(table), table.shape[1] - 1
        asked, counted = answer.detach().reshape(rows, -1).cpu(), counts.reshape(rows, -1).cpu()
        ids = table.detach().cpu().long()
        known = ids[:, 1:][counted[:, :inner]]
        followed = torch.equal(known, asked[:, :inner][counted[:, :inner]]) and not bool(counted[:, inner:].any())
        copied = bool((ids[:, :inner] == asked[:, :inner])[counted[:, :inner]].all())
        if followed and not copied and len(known.unique()) >= DIFFERENT:
            yield AskedRows(ids, torch.nn.functional.pad(counted[:, :inner], (1, 0)))


def _tables(given: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Widest first; rows that the model is given without their last place are a view of the whole ones."""
    bases = [base for tensor in given if (base := tensor._base) is not None]
    whole = (t for t in (*bases, *given) if t.ndim == TWO and not t.is_floating_point() and t.dtype != torch.bool)
    found = [t for t in whole if not t.is_complex() and t.numel() <= MOST_PLACES and reading.readable(t)]
    return sorted(found, key=lambda table: -table.shape[1])


def _may_hold(table: torch.Tensor, answer: torch.Tensor) -> bool:
    rows, width = table.shape
    return rows > 1 and width > TWO and answer.numel() in (rows * width, rows * (width - 1))


def _counting(tail: Tail, meeting: Meeting) -> torch.Tensor | None:
    """For each answer, whether the loss has a gradient towards what is predicted in its place."""
    try:
        slope = slope_of(tail, meeting)
    except CANNOT:
        return None
    if slope is None or slope.ndim < TWO:
        return None
    moving = (slope != 0).any(1 if meeting.row.name in OF_CLASSES else -1)
    return moving.reshape(-1) if moving.numel() == meeting.answer.numel() else None


def _masks(batch: AskedRows, given: Sequence[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Tensors of two values over the same places, one of them at all that count: true where they have that."""
    for tensor in given:
        if tensor.shape != batch.ids.shape or tensor.is_complex() or not reading.readable(tensor):
            continue
        values = tensor.detach().cpu()
        here = values[batch.counts].unique()
        if len(values.unique()) == TWO and len(here) == 1:
            yield values == here


def _single(batch: AskedRows, runs: torch.Tensor, mask: torch.Tensor) -> int:
    """Rows in which the mask holds the first of the run to be like what counts, and the next to be unlike it."""
    outside = torch.nn.functional.pad(mask, (0, 2))
    first, second = (outside.gather(1, (batch.ends + by)[:, None]).squeeze(1) for by in (0, 1))
    return int(((runs > 0) & first & ~second).sum())
