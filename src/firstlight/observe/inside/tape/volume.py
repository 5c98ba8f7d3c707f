"""Which way a loss counts the volume of a map that the network is, as a normalising flow does.

A likelihood through a change of variables holds, for each example, the logarithm of the determinant of the map's
Jacobian. Whoever computed it, it is known by its values: autograd gives the true ones, of every tensor that has the
shape of what the network was fed. What agrees with them is that term, or its negative, and its pull on the loss tells
whether the map is rewarded for filling space or for leaving it.
"""

import contextlib
from collections.abc import Iterator
from itertools import islice

import torch

from firstlight.observe.inside.tape.crossed import opened
from firstlight.observe.inside.tape.reach import FEWEST_GUESSED
from firstlight.observe.inside.tape.recorder import NOT_REPEATABLE, PARAMETER, Made, Mark, Row, walk
from firstlight.observe.inside.tape.sequences import TABLE
from firstlight.observe.inside.tape.tail import CANNOT, Tail
from firstlight.observe.inside.tape.terms import passes
from firstlight.records.taped import VolumeSeen

MOST_COLUMNS = 32
MOST_INPUTS, MOST_IMAGES = 3, 3
ALIKE = 0.999
"""Least correlation over the examples of a term with the logarithms of the determinants."""
VARIED = 1e-5
"""Least deviation of these: those of a map that begins as the identity are all nothing."""


def volumes(tail: Tail) -> Iterator[VolumeSeen]:
    """At most one."""
    terms = list(_terms(tail))
    if not terms:
        return
    within = tuple(sorted(walk(tail.rows[-1], within=True), key=lambda row: row.number))
    if any(row.name in NOT_REPEATABLE for row in within):
        return
    whole = Tail(tail.loss, opened(Tail(tail.loss, within, ())), ())
    length = len(terms[0][0])
    for given in islice(_given(within, length), MOST_INPUTS):
        with contextlib.suppress(*CANNOT):
            for image in islice(_images(tail, given), MOST_IMAGES):
                sizes = _sizes(whole, given, image)
                for term, line in terms if sizes is not None else ():
                    told = term.detach().reshape(-1).double().cpu()
                    if sizes is not None and abs(likeness := _likeness(told, sizes)) >= ALIKE:
                        yield VolumeSeen(
                            site=line.line,
                            columns=given.shape[1],
                            examples=length,
                            likeness=likeness,
                            pull=_pull(tail, term) * (1 if likeness > 0 else -1),
                        )
                        return


def _terms(tail: Tail) -> Iterator[tuple[torch.Tensor, Row]]:
    """One number for each example, in the sum that the loss is, and where it joins it; the last first."""
    waiting, seen = [tail.rows[-1]], set[int]()
    while waiting:
        row = waiting.pop(0)
        if row.number in seen or not passes(row):
            continue
        seen.add(row.number)
        for tensor, _, made in row.inputs:
            if tensor.requires_grad and made is not None:
                single = tensor.ndim > 0 and len(tensor) == tensor.numel() >= FEWEST_GUESSED
                if single:
                    yield tensor, row
                waiting.append(made[0])


def _given(rows: tuple[Row, ...], length: int) -> Iterator[torch.Tensor]:
    """Tables that the network was fed, or what it was fed is made of; the first first."""
    found: dict[int, tuple[int, torch.Tensor]] = {}
    for row in rows:
        for tensor, marks, made in row.inputs:
            fed = not tensor.requires_grad and marks & (Mark.DATA | Mark.DRAWN) and not marks & PARAMETER
            if fed and _is_table(tensor, length):
                found[id(tensor)] = (-1 if made is None else made[0].number), tensor
                for before, _, origin in made[0].inputs if made is not None else ():
                    if _is_table(before, length) and not before.requires_grad:
                        found[id(before)] = (-1 if origin is None else origin[0].number), before
    yield from (tensor for _, tensor in sorted(found.values(), key=lambda pair: pair[0]))


def _is_table(tensor: torch.Tensor, length: int) -> bool:
    table = tensor.ndim == TABLE and len(tensor) == length and 1 <= tensor.shape[1] <= MOST_COLUMNS
    return table and tensor.is_floating_point()


def _images(tail: Tail, given: torch.Tensor) -> Iterator[Made]:
    """What may be the map's result: tensors of the same shape that enter the loss, the last first."""
    found = {
        (made[0].number, made[1]): made
        for row in tail.rows
        for tensor, _, made in row.inputs
        if made is not None and tensor.requires_grad and tensor.shape == given.shape
    }
    yield from (found[key] for key in sorted(found, reverse=True))


def _sizes(whole: Tail, given: torch.Tensor, image: Made) -> torch.Tensor | None:
    """Logarithms of the determinants, one for each example; None where they hardly differ or are not finite."""
    with torch.enable_grad():
        leaf = given.detach().cpu().requires_grad_()
        made = whole.values({id(given): leaf}, on_cpu=True).get((image[0].number, image[1]))
        if made is None or not made.requires_grad:
            return None
        slopes = [
            torch.autograd.grad(column.sum(), leaf, retain_graph=True, materialize_grads=True)[0]
            for column in made.unbind(1)
        ]
    sizes = torch.linalg.slogdet(torch.stack(slopes, 1).double())[1]
    return sizes if bool(sizes.isfinite().all()) and float(sizes.std()) > VARIED else None


def _likeness(told: torch.Tensor, sizes: torch.Tensor) -> float:
    both = torch.stack([told, sizes])
    return float(torch.corrcoef(both)[0, 1]) if float(told.std()) > 0 else 0.0


def _pull(tail: Tail, term: torch.Tensor) -> float:
    with torch.enable_grad():
        leaf = term.detach().cpu().requires_grad_()
        (slope,) = torch.autograd.grad(tail.replay({id(term): leaf}, on_cpu=True), [leaf])
    return float(slope.double().sum())
