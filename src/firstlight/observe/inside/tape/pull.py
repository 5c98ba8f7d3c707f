"""Which way a loss pulls: predictions towards their answers, or away from them.

Whatever stands between the place where they meet and the backward, and whoever wrote it, the loss is computed twice
again: with predictions that follow the answers a little, and with others that go against them as far. The first must be
the lower one. And where answers are exchanged between examples, the gradients of the network's outputs must change.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.tape.compares import DIFFERENCES, EVEN, MEASURES, NAMED, PRODUCTS, SELECTS
from firstlight.observe.inside.tape.influence import outputs_of
from firstlight.observe.inside.tape.likelihood import (
    LITTLE,
    MOST_ELEMENTS,
    TINY,
    are_shares,
    likelihood,
    moves_of_scores,
    prediction_made,
    sense,
    weighs,
)
from firstlight.observe.inside.tape.recorder import PARAMETER, Row, walk
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.taped import CLASSES, LIKELIHOODS, VALUES, PullSeen

NEGATIONS = frozenset({"neg", "__neg__", "negative"})
LEAST_ANSWERS = 8


def pulls(tail: Tail) -> Iterator[PullSeen]:
    """One for each place where predictions are at last compared with answers."""
    asked = {(meeting.row.number, id(meeting.answer)): meeting for meeting in tail.meetings}
    kinds = [(meeting, _kind(tail, meeting)) for meeting in asked.values()]
    compared = {meeting.row.number: meeting.row for meeting, kind in kinds if kind or _turns(meeting)}
    before = {row.number for last in compared.values() for row in walk(last) if row is not last}
    for meeting, kind in kinds:
        if kind is None or meeting.row.number in before or not _is_fair(tail, meeting, kind):
            continue
        with contextlib.suppress(*CANNOT):
            yield from _pull(tail, meeting, kind)


def _kind(tail: Tail, meeting: Meeting) -> str | None:
    name, classes = meeting.row.name, not meeting.answer.is_floating_point()
    if name in NAMED:
        return CLASSES if classes else VALUES
    if name in SELECTS and classes:
        return CLASSES if likelihood(tail, meeting) is not None else None
    if name in PRODUCTS and not classes:
        found = likelihood(tail, meeting)
        if found is None or not weighs(tail, meeting, found):
            return None
        return CLASSES if are_shares(meeting) and not meeting.marks & PARAMETER else LIKELIHOODS
    return VALUES if name in MEASURES or name in DIFFERENCES else None


def _turns(meeting: Meeting) -> bool:
    """A product with numbers of which some are negative: what is good before it may be bad behind it."""
    signed = meeting.row.name in PRODUCTS and meeting.answer.is_floating_point()
    return signed and bool((meeting.answer < 0).any())


def _is_fair(tail: Tail, meeting: Meeting, kind: str) -> bool:
    """What the network chose itself need not be right; values that it gave are, where it is to come near to them."""
    if meeting.answer.numel() < LEAST_ANSWERS or _prediction(meeting).numel() > MOST_ELEMENTS:
        return False
    if kind == LIKELIHOODS or meeting.row.name in MEASURES or not meeting.marks & PARAMETER:
        return True
    after = [row for row in tail.rows if any(made is not None and made[0] is meeting.row for _, _, made in row.inputs)]
    return kind == VALUES and any(row.name in EVEN for row in after)


def _pull(tail: Tail, meeting: Meeting, kind: str) -> Iterator[PullSeen]:
    moves = _moves(tail, meeting, kind)
    if moves is None:
        return
    right, contrary = (
        reading.number(tail.replay({key: level + way * move for key, (level, move) in moves.items()}, on_cpu=True))
        for way in (1, -1)
    )
    if math.isfinite(right) and math.isfinite(contrary):
        yield PullSeen(
            kind=kind,
            operation=meeting.row.name,
            site=meeting.row.line,
            backward=sites.caller(),
            right=right,
            contrary=contrary,
            share=_share(tail, meeting.answer),
            larger=_larger(meeting) if kind == VALUES else None,
        )


def _larger(meeting: Meeting) -> float | None:
    answer, predicted = (
        float(one.detach().float().square().mean().sqrt()) for one in (meeting.answer, _prediction(meeting))
    )
    return answer / predicted if predicted > 0 and math.isfinite(answer / predicted) else None


def _share(tail: Tail, answer: torch.Tensor) -> float | None:
    """As a part of the gradients themselves; answers that are all alike tell nothing."""
    outputs = list(outputs_of(tail))
    others = answer.detach().roll(1, 0)
    if not outputs or torch.equal(others, answer):
        return None
    told, otherwise = (_gradient(tail, outputs, {id(answer): given}) for given in (answer.detach(), others))
    size = float(torch.linalg.vector_norm(told))
    return float(torch.linalg.vector_norm(told - otherwise)) / size if size > 0 else None


def _gradient(tail: Tail, outputs: list[torch.Tensor], answers: dict[int, torch.Tensor]) -> torch.Tensor:
    with torch.enable_grad():
        leaves = {id(output): output.detach().cpu().requires_grad_() for output in outputs}
        loss = tail.replay({**leaves, **answers}, on_cpu=True)
        slopes = torch.autograd.grad(loss, list(leaves.values()), materialize_grads=True)
    return torch.cat([slope.double().flatten() for slope in slopes])


def _moves(tail: Tail, meeting: Meeting, kind: str) -> dict[int, tuple[torch.Tensor, torch.Tensor]] | None:
    """What is moved, by its id: where it begins, and a move of it by which predictions follow the answers."""
    predicted, answer = _prediction(meeting).detach().cpu(), meeting.answer.detach().cpu()
    if kind == CLASSES and meeting.row.name in NAMED:
        picked = _picked(meeting.row, predicted, answer)
        if picked is None:
            return None
        level, move = predicted, _step(predicted) * picked
    elif kind == VALUES:
        if torch.broadcast_shapes(predicted.shape, answer.shape) != predicted.shape:
            return None
        if meeting.row.name in DIFFERENCES and likelihood(tail, meeting) is not None:
            return None  # one likelihood over another
        mean = answer.mean(0, keepdim=True)
        level, move = mean.expand(predicted.shape), (LITTLE * (answer - mean)).expand(predicted.shape)
    else:
        wanted, way = _wanted(meeting, predicted, answer), sense(tail, meeting)
        return None if wanted is None or way is None else moves_of_scores(tail, meeting, way * wanted)
    return {id(_prediction(meeting)): (level.to(predicted.dtype), move.to(predicted.dtype))}


def _wanted(meeting: Meeting, predicted: torch.Tensor, answer: torch.Tensor) -> torch.Tensor | None:
    """What meets the answers should be higher by this."""
    if meeting.row.name in SELECTS:
        return _picked(meeting.row, predicted, answer)
    if torch.broadcast_shapes(predicted.shape, answer.shape) != predicted.shape:
        return None
    return answer / max(float(answer.abs().max()), TINY) * (-1 if _is_negated(meeting) else 1)


def _is_negated(meeting: Meeting) -> bool:
    """The weights were given their minus before they met the likelihoods: `-advantage * ratio`."""
    made = next(made for tensor, _, made in meeting.row.inputs if tensor is meeting.answer)
    return made is not None and made[0].name in NEGATIONS


def _picked(row: Row, predicted: torch.Tensor, answer: torch.Tensor) -> torch.Tensor | None:
    """One where the score of the answer's class stands, and nothing elsewhere."""
    hot = torch.zeros_like(predicted)
    assert row.arguments is not None
    if row.name == "__getitem__":
        hot[_on_cpu(row.arguments[1])] = 1
        return hot
    if row.name in NAMED:
        axis = min(1, predicted.ndim - 1)
        known = (answer >= 0) & (answer < predicted.shape[axis])
        return hot.scatter_(axis, (answer * known).unsqueeze(axis), known.to(hot).unsqueeze(axis))
    along: int | None = row.keywords.get("dim", next((one for one in row.arguments if type(one) is int), None))
    return None if along is None else hot.scatter_(along, answer, 1.0)


def _on_cpu(index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(map(_on_cpu, index))
    return index.cpu() if isinstance(index, torch.Tensor) else index


def _prediction(meeting: Meeting) -> torch.Tensor:
    return prediction_made(meeting)[0]


def _step(predicted: torch.Tensor) -> torch.Tensor:
    """Probabilities stay positive."""
    positive = bool((predicted > 0).all())
    return LITTLE * (predicted if positive else predicted.abs().max().clamp_min(1.0).expand(predicted.shape))
