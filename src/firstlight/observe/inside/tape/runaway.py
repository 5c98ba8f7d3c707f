"""Outputs that a loss rewards without end, whatever the answers are.

A variance, a log-variance or a code enters the loss beside what is compared with answers, and nothing keeps it but the
balance of two terms. Where one of them has the wrong sign there is no balance: the further all of it is shifted one
way, the lower the loss. It is asked behind bounds, which would only hide that. Outputs of one layer are shifted
together, as its bias would: a critic's scores of two kinds of examples are no two outputs.
"""

import contextlib
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.compares import SELECTS
from firstlight.observe.inside.tape.influence import outputs_of
from firstlight.observe.inside.tape.recorder import Input, Made, Mark, Row
from firstlight.observe.inside.tape.tail import CANNOT, Tail
from firstlight.observe.inside.tape.terms import passes
from firstlight.observe.inside.tape.ways import KEPT
from firstlight.records.places import Site
from firstlight.records.taped import RunawaySeen

BOUNDS = frozenset({"clamp", "clip", "clamp_min", "clamp_max", "hardtanh"})
TAKES = SELECTS | {"chunk", "split", "tensor_split", "unbind"}
PARTS = KEPT | TAKES | BOUNDS
DOUBLINGS, ASKED = 12, 6
"""Of the shift, and the last ones of them, which tell where it leads to."""
LASTING = 0.75
"""What a doubling must gain of what the one before it did. A straight fall gains twice as much, a logarithm as much; a
hyperbola half, and what saturates nothing."""
LEAST = 1e-4
"""Of the loss, that each must gain."""
MOST_ELEMENTS = 1 << 16


class OutputPart(NamedTuple):
    """An output of the network, or some of it, as the loss takes it."""

    tensor: torch.Tensor
    layer: tuple[object, ...]
    """The trained tensor that it was made with, and the calls that took this part."""
    line: Site | None


def runaways(tail: Tail) -> Iterator[RunawaySeen]:
    """At most one for each layer, in losses that compare something else with answers."""
    compared = {meeting.row.number for meeting in tail.meetings if meeting.marks & (Mark.DATA | Mark.DRAWN)}
    if not compared or tail.own_answers or tail.weighted:
        return
    layers: dict[tuple[object, ...], list[OutputPart]] = defaultdict(list)
    for part in _parts(tail):
        layers[part.layer].append(part)
    for parts in layers.values():
        if not any(is_compared(tail, part.tensor, compared) for part in parts):
            with contextlib.suppress(*CANNOT), torch.no_grad():
                yield from _followed(tail, parts)


def _parts(tail: Tail) -> Iterator[OutputPart]:
    takers: dict[int, list[Row]] = defaultdict(list)
    given: dict[tuple[int, int], torch.Tensor] = {}
    origins: dict[int, Made | None] = {}
    for row in tail.rows:
        for tensor, _, made in row.inputs:
            takers[id(tensor)].append(row)
            origins[id(tensor)] = made
            if made is not None:
                given[made[0].number, made[1]] = tensor
    for output in outputs_of(tail, MOST_ELEMENTS):
        made = origins[id(output)]
        entered = [item[0] for item in made[0].inputs if item[1] == Mark.TRAINED] if made is not None else []
        waiting = [OutputPart(output, (id(entered[0]),), made[0].line)] if made is not None and entered else []
        while waiting:
            part = waiting.pop()
            rows = takers[id(part.tensor)]
            if not all(row.name in PARTS and row.arguments is not None and not row.writes for row in rows):
                yield part
                continue
            for row, at in itertools.product(rows, range(MOST_PARTS)):
                if (row.number, at) in given:
                    how = (
                        row.name,
                        repr([one for one in row.arguments or () if not isinstance(one, torch.Tensor)]),
                        at,
                    )
                    waiting.append(OutputPart(given[row.number, at], (*part.layer, *how), row.line))


MOST_PARTS = 8


def is_compared(tail: Tail, tensor: torch.Tensor, compared: set[int], whole: bool = False) -> bool:
    """It meets answers by itself, or as a `whole`; that other outputs do is another matter."""
    reached: set[int] = set()
    for row in tail.following((id(tensor),), reached):
        carrying = [item for item in row.inputs if item[0].requires_grad]
        if any(item[0] is tensor or _made_in(item, reached) for item in carrying):
            if row.number in compared:
                return True
            if len(carrying) == 1 and not (whole and row.name in TAKES):
                reached.add(row.number)
    return False


def _made_in(item: Input, rows: set[int]) -> bool:
    return item[2] is not None and item[2][0].number in rows


def _followed(tail: Tail, parts: list[OutputPart]) -> Iterator[RunawaySeen]:
    values = [
        meeting.answer for meeting in tail.meetings if meeting.answer.is_floating_point() and meeting.answer.numel()
    ]
    sizes = [float(one.detach().abs().max()) for one in (*values, *(part.tensor for part in parts))]
    size = max([1.0, *(one for one in sizes if math.isfinite(one))])
    first = tail.values(_shifted(parts, 0.0), on_cpu=True)
    last = tail.rows[-1].number, 0
    for way in (1, -1):
        path = [float(first[last])]
        for at in range(DOUBLINGS + 1):
            path.append(float(tail.replay(_shifted(parts, way * size * 2**at), on_cpu=True)))
            if not path[-1] < path[-2]:
                break
        else:
            if _has_no_end(path):
                shift = way * size * 2**DOUBLINGS
                yield RunawaySeen(
                    site=_turned(tail, first, tail.values(_shifted(parts, shift), on_cpu=True)),
                    output=parts[0].line,
                    way="up" if way > 0 else "down",
                    shift=abs(shift),
                    loss=path[0],
                    lowest=path[-1],
                )


def _shifted(parts: list[OutputPart], shift: float) -> dict[int, torch.Tensor]:
    return {id(part.tensor): part.tensor.detach().cpu() + shift for part in parts}


def _has_no_end(path: list[float]) -> bool:
    gains = [one - other for one, other in itertools.pairwise(path)][-ASKED:]
    least = LEAST * max(abs(path[0]), LEAST)
    lasting = all(later >= LASTING * earlier for earlier, later in itertools.pairwise(gains))
    return all(map(math.isfinite, path)) and lasting and min(gains) > least


def _turned(
    tail: Tail, first: dict[tuple[int, int], torch.Tensor], moved: dict[tuple[int, int], torch.Tensor]
) -> Site | None:
    """Down the sum that the loss is, along what changed most: the line at which a rise becomes a fall, or the last."""
    changes = {key: float((moved[key].double() - first[key].double()).sum()) for key in first.keys() & moved.keys()}
    row = tail.rows[-1]
    line, change = row.line, changes.get((row.number, 0), 0.0)
    while passes(row):
        made = [item[2] for item in row.inputs if item[2] is not None and (item[2][0].number, item[2][1]) in changes]
        if not made:
            break
        most = max(made, key=lambda one: abs(changes[one[0].number, one[1]]))
        before = changes[most[0].number, most[1]]
        line = row.line or line
        if before * change < 0:
            return line
        row, change = most[0], before
    return line
