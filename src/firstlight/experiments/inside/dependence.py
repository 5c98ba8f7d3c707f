"""What a model's output depends on, in eval mode.

- does an example's output depend on another example's input?
- does the output at a position depend on later positions, when the task is to predict the next one?
- does an example's output rest on its padding, or change where there is more of it?
"""

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import torch

from firstlight.experiments.inside import influence, seeding
from firstlight.experiments.inside.asking import LEAST_ROWS, Asked, output
from firstlight.experiments.inside.axes import Through, beside, positions
from firstlight.experiments.inside.leaves import with_leaves
from firstlight.experiments.inside.mixing import first_mixing, first_mixing_by_value
from firstlight.experiments.inside.widening import widened
from firstlight.records.timelines import Dependence, InfluenceMap

NEXT_TOKEN = 0.95
"""Share of targets equal to the next input for the task to count as predicting it."""
LEAST_ASKED = 3
"""Places of a row that are asked for: fewer equal some input by chance."""
LEAST_PADDED, MOST_PADDED = 0.2, 0.95
"""Share of a row that is padding, for the row to be asked."""
MAINLY = 0.5
"""Share of the gradient that lies on the padding, from which on the output rests on it."""


def dependences(asked: Asked, rows: Through | None) -> Iterator[Dependence]:
    """`rows` is where the examples lie. Leaves the model in eval mode."""
    asked.call.module.eval()
    asked, drawing_on = replace(asked, state=seeding.random_state()), asked
    first, again = output(asked), output(drawing_on)
    if first is None or again is None:
        return
    if rows is not None and torch.equal(first, again):
        yield from _by_asking(asked, first, rows)
    if torch.equal(first, again) and (wider := widened(asked, first)) is not None:
        yield wider
    yield from _on_padding(asked)


def _by_asking(asked: Asked, first: torch.Tensor, rows: Through) -> Iterator[Dependence]:
    if (seen := influence.between_examples(asked, first, rows)) is not None:
        found = _dependence(asked, "examples", seen, operator.ne)
        if not found.others and (pulled := influence.pulled_by_others(asked, rows)) is not None:
            found = msgspec.structs.replace(found, others=pulled[0], of=pulled[1])
        if not found.others and rows.apart:
            found = next((one for one in _of_others(asked, rows) if one.others), found)
        yield _placed(asked, rows, found)
    for sequence in asked.call.inputs:
        wanted = _wanted(asked.target, sequence, rows) if rows.has(sequence) else None
        along = positions(asked, first, sequence, rows) if wanted is not None else None
        if wanted is None or along is None:
            continue
        kind, begins = wanted
        if (seen := influence.between_positions(asked, first, sequence, along, rows)) is not None:
            yield _dependence(asked, kind, seen, _later(begins))


def _of_others(asked: Asked, rows: Through) -> Iterator[Dependence]:
    """Of the other outputs that the loss takes, where these are the same whenever they are asked for."""
    for place in asked.taken:
        one = replace(asked, place=place)
        first, again, along = output(one), output(replace(one, state=None)), beside(one, rows)
        if first is None or again is None or along is None or not torch.equal(first, again):
            continue
        if (seen := influence.between_examples(one, first, along)) is not None:
            yield _dependence(one, "examples", seen, operator.ne)


def _later(begins: int) -> Callable[[int, int], bool]:
    return lambda own, other: other > own >= begins


def _dependence(asked: Asked, kind: str, seen: InfluenceMap, forbidden: Callable[[int, int], bool]) -> Dependence:
    """Told of the place whose output depends on most of what it should not depend on."""
    most = (0, 0)
    for row, own in enumerate(seen.places):
        asked_of = [column for column, other in enumerate(seen.places) if forbidden(own, other)]
        moving = sum(seen.moved[row][column] > influence.MOVED for column in asked_of)
        most = max(most, (moving, len(asked_of)))
    own = any(seen.moved[place][place] > influence.MOVED for place in range(len(seen.places)))
    told = Dependence(step=0, kind=kind, site=asked.site, own=own, others=most[0], of=most[1], map=seen)
    return msgspec.structs.replace(told, begins=asked.begins)


def _placed(asked: Asked, rows: Through, found: Dependence) -> Dependence:
    """On the line where the examples begin to mix, as far as a gradient shows it, or values do."""
    first = first_mixing(asked, rows) if found.others else None
    if first is None:
        seen = first_mixing_by_value(asked, rows) if found.others else None
        if seen is None:
            return found
        return msgspec.structs.replace(found, site=seen.site or found.site, operation=seen.name, indexes=seen.indexes)
    one = first.operation
    return msgspec.structs.replace(
        found,
        site=one.site or found.site,
        operation=one.name,
        normalises=one.normalises,
        shares=one.shares,
        last=first.last,
    )


def _wanted(target: torch.Tensor | None, sequence: torch.Tensor, rows: Through) -> tuple[str, int] | None:
    """What is asked for at each position of a sequence of ids, and at which it begins: what comes before, as a prompt,
    may be read as a whole. `positions` where it is neither the next nor itself."""
    own = rows.given[id(sequence)]
    if sequence.ndim not in (2, 3) or (sequence.ndim == 3) is not sequence.is_floating_point():
        return None
    if sequence.ndim == 3 or target is None or target.is_floating_point():
        return "positions", 0
    ids = sequence.movedim(own, 0)
    for wanted in (target, target.reshape(ids.T.shape).T) if target.numel() == ids.numel() else (target,):
        if (begins := _predicts_next(wanted, ids)) is not None:
            return "future", begins
        if wanted.numel() == ids.numel() and _share(wanted.reshape(ids.shape), ids) > NEXT_TOKEN:
            return "same", 0
    return "positions", 0


def _predicts_next(target: torch.Tensor, ids: torch.Tensor) -> int | None:
    """The place from which on the next ids are asked for, of all places or the last ones; None where they are not."""
    rows, length = ids.shape
    places = target.numel() // max(1, rows)
    if target.numel() != rows * places or not LEAST_ASKED <= places <= length:
        return None
    asked = target.reshape(rows, places)
    if _share(asked[:, :-1], ids[:, length - places + 1 :]) > NEXT_TOKEN:
        return length - places + _unasked(asked)
    if places < length and _share(asked, ids[:, length - places :]) > NEXT_TOKEN:
        return length - places - 1 + _unasked(asked)
    return None


def _unasked(asked: torch.Tensor) -> int:
    """The places at the beginning of which nothing is asked in some row (`ignore_index`)."""
    return int((asked >= 0).int().argmax(1).max())


def _on_padding(asked: Asked) -> Iterator[Dependence]:
    """For models that give one answer to a whole sequence, with an embedding that knows its padding."""
    with torch.enable_grad():
        output, leaves = with_leaves(asked.call)
    for leaf in leaves:
        ids = leaf.ids
        if output is None or ids is None or leaf.padding is None or ids.ndim != 2 or len(output) != len(ids):
            continue
        padded = ids == leaf.padding
        share = padded.float().mean(1)
        chosen = (share >= LEAST_PADDED) & (share <= MOST_PADDED)
        one_answer = output.ndim == 1 or (output.ndim == 2 and output.shape[1] != ids.shape[1])
        if not one_answer or int(chosen.sum()) < LEAST_ROWS:
            continue
        weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(0), device="cpu").to(output)
        pulled: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            (output * weights).sum(), leaf.tensor, allow_unused=True, retain_graph=True
        )
        gradient = pulled[0]
        if gradient is None:
            continue
        size = gradient.reshape(*ids.shape, -1).norm(dim=2)
        resting = (size * padded).sum(1) > MAINLY * size.sum(1).clamp_min(1e-30)
        mainly, asked_rows = int((resting & chosen).sum()), int(chosen.sum())
        yield Dependence(step=0, kind="padding", site=asked.site, own=True, others=mainly, of=asked_rows)


def _share(wanted: torch.Tensor, given: torch.Tensor) -> float:
    """Of what is asked for; targets below zero are ignored by every loss."""
    known = wanted >= 0
    return float((wanted == given)[known].float().mean().item()) if known.any() else 0.0
