"""What the network is fed, computed once more from the data in double precision: how much of it is rounding?

Large numbers that differ by little (times in seconds since 1970, coordinates in metres, counters) have no place for the
difference in a coarse type: it is gone as soon as they are cast, and what is made of it afterwards is noise. Whichever
call casts, and whatever is computed then, the same way from the same data in double precision gives other inputs. What
the network makes of constants alone, such as the angles of positions, is asked in the same way.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside.tape.levels import MOST_ASKED, UNCHANGED, Levelled
from firstlight.observe.inside.tape.recorder import NOT_REPEATABLE, Made, Recorder, Row
from firstlight.observe.inside.tape.tail import CANNOT

MOST_ROWS = 256
MOST_ELEMENTS = 1 << 20
LEAST = 0.05
"""Of what the inputs differ by; less is not told of at all."""
LIVELY = 1e-4
"""Of the deviation of the liveliest column, that of those which are asked: others hold rounding and nothing else."""
SAME = 1e-12
"""Deviation over the size of values that are all the same: double precision leaves about 1e-16 of rounding."""
HALVES = (torch.half, torch.bfloat16)
DOUBLED = frozenset({"float", "half", "bfloat16"})


class RowInDouble(NamedTuple):
    row: Row
    exact: torch.Tensor
    made: torch.Tensor


class InDouble:
    """Computes tensors once more; whole numbers stay what they are until a call makes others of them."""

    def __init__(self) -> None:
        self.rows: dict[Made, RowInDouble] = {}

    def of(self, tensor: torch.Tensor, made: Made | None) -> torch.Tensor:
        if made is None or not _is_repeatable(made[0]):
            return tensor.detach().double() if tensor.is_floating_point() else tensor.detach()
        if made not in self.rows:
            if len(self.rows) >= MOST_ROWS or tensor.numel() > MOST_ELEMENTS:
                raise ValueError("too long a way")
            state = _random_state(tensor)
            again = self._again(*made)
            if not torch.equal(_random_state(tensor), state):  # it draws, and would draw something else
                _restore(tensor, state)
                again = tensor.detach().double()
            self.rows[made] = RowInDouble(made[0], again, tensor.detach())
        return self.rows[made].exact

    def _again(self, row: Row, output: int) -> torch.Tensor:
        assert row.again is not None
        function, name, arguments, keywords = row.again
        known = {id(tensor): self.of(tensor, made) for tensor, _, made in row.inputs}
        if name in DOUBLED:
            return known[id(arguments[0])].double()
        given, named = _put(arguments, known), _put(keywords, known)
        found = _output(function(*given, **named), output)
        if found.is_floating_point() and found.dtype != torch.double:
            whole = {key: tensor.double() for key, tensor in known.items()}
            found = _output(function(*_put(arguments, whole), **_put(keywords, whole)), output)
        return found


def _random_state(of: torch.Tensor) -> torch.Tensor:
    return torch.cuda.get_rng_state(of.device) if of.is_cuda else torch.get_rng_state()


def _restore(of: torch.Tensor, state: torch.Tensor) -> None:
    if of.is_cuda:
        torch.cuda.set_rng_state(state, of.device)
    else:
        torch.set_rng_state(state)


def _is_repeatable(row: Row) -> bool:
    return row.again is not None and bool(row.inputs) and not row.writes and row.name not in NOT_REPEATABLE


def _put(tree: Any, known: dict[int, torch.Tensor]) -> Any:
    if isinstance(tree, torch.Tensor):
        return known.get(id(tree), tree)
    if isinstance(tree, torch.dtype):
        return torch.double if tree.is_floating_point else tree
    if isinstance(tree, dict):
        return {key: _put(item, known) for key, item in tree.items()}
    return type(tree)(_put(item, known) for item in tree) if type(tree) in (list, tuple) else tree


def _output(made: Any, output: int) -> torch.Tensor:
    found = made if isinstance(made, torch.Tensor) else made[output]
    if not isinstance(found, torch.Tensor):
        raise TypeError("no tensor")
    return found


def rounded(tensors: Sequence[torch.Tensor], recorder: Recorder, of: str = "rounding") -> Iterator[Levelled]:
    """Of each tensor that entered the network: the call that rounds, and how far off that leaves what it is fed."""
    told: set[int] = set()
    for tensor in {id(tensor): tensor for tensor in tensors}.values():
        made = recorder.made(tensor)
        if made is None or not tensor.is_floating_point() or tensor.is_sparse:
            continue
        again = InDouble()
        try:
            off = off_by(again.of(tensor, made), tensor)
        except CANNOT:
            continue
        row = _rounds(again) if off >= LEAST else None
        if row is not None and row.number not in told:
            told.add(row.number)
            yield Levelled(row.name, row.line, UNCHANGED, of, rounded=off)


def _rounds(again: InDouble) -> Row | None:
    """The first call that made what it should not have; a cast, where one did."""
    inexact = [one for one in again.rows.values() if one.exact.is_floating_point() and not _is_exact(one)]
    coarse = [one for one in inexact if one.made.dtype in HALVES]
    inexact = coarse or [one for one in inexact if off_by(one.exact, one.made) >= LEAST] or inexact
    casts = [one.row for one in inexact if _is_cast(one.row, one.made)]
    return min(casts or [one.row for one in inexact], key=lambda row: row.number, default=None)


def _is_exact(one: RowInDouble) -> bool:
    return one.exact.shape == one.made.shape and torch.equal(one.exact, one.made.double())


def _is_cast(row: Row, made: torch.Tensor) -> bool:
    given = row.inputs[0][0]
    return given.dtype != made.dtype and given.shape == made.shape and torch.equal(given.to(made.dtype), made)


def off_by(exact: torch.Tensor, made: torch.Tensor) -> float:
    """Root mean square of the difference, over the deviation: in the column where that is most."""
    if exact.shape != made.shape or not exact.is_floating_point() or exact.numel() <= 1:
        return 0.0
    columns = made.shape[-1] if made.ndim > 1 and made.shape[-1] <= MOST_ASKED else 1
    wanted, got = (t.detach().double().reshape(-1, columns) for t in (exact, made))
    finite = (torch.isfinite(wanted) & torch.isfinite(got)).all(1)
    wanted, got = wanted[finite], got[finite]
    if len(wanted) <= 1:
        return 0.0
    deviation = wanted.std(0, correction=0)
    asked = deviation > (LIVELY * deviation.max()).maximum(SAME * wanted.abs().amax(0))
    apart = (wanted - got).square().mean(0).sqrt()
    return float((apart[asked] / deviation[asked]).max()) if bool(asked.any()) else 0.0
