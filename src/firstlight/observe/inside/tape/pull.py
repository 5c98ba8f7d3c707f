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
from firstlight.observe.inside.tape.compares import DIFFERENCES, EVEN, LIKELY, MEASURES, NAMED, SELECTS
from firstlight.observe.inside.tape.influence import outputs_of
from firstlight.observe.inside.tape.recorder import PARAMETER, Made, Mark, Row, walk
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.flows import CLASSES, LIKELIHOODS, VALUES, PullSeen

PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "multiply"})
NEGATIONS = frozenset({"neg", "__neg__", "negative"})
LITTLE = 0.05
"""Of what differs between the answers, or of the scores: predictions are moved by so much."""
TINY = 1e-30
LEAST_ANSWERS = 8
MOST_ELEMENTS = 1 << 22


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
        return CLASSES if _likelihood(tail, meeting) is not None else None
    if name in PRODUCTS and not classes:
        return LIKELIHOODS if _likelihood(tail, meeting) is not None else None
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
    predicted = _prediction(meeting)
    found = _towards(tail, meeting, kind, predicted.detach().cpu(), meeting.answer.detach().cpu())
    if found is None:
        return
    level, move = found
    right, contrary = (
        reading.number(tail.replay({id(predicted): (level + way * move).to(predicted.dtype)}, on_cpu=True))
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
        )


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


def _towards(
    tail: Tail, meeting: Meeting, kind: str, predicted: torch.Tensor, answer: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Where predictions begin, and a move of theirs that follows the answers."""
    if kind == CLASSES:
        picked = _picked(meeting.row, predicted, answer)
        return None if picked is None else (predicted, _step(predicted) * picked * _sense(tail, meeting))
    if torch.broadcast_shapes(predicted.shape, answer.shape) != predicted.shape:
        return None
    if kind == LIKELIHOODS:
        share = answer / max(float(answer.abs().max()), TINY) * (-1 if _is_negated(meeting) else 1)
        return predicted, _step(predicted) * share * _sense(tail, meeting)
    if _likelihood(tail, meeting) is not None and meeting.row.name in DIFFERENCES:
        return None  # one likelihood over another
    level = answer.mean(0, keepdim=True)
    return level.expand(predicted.shape), (LITTLE * (answer - level)).expand(predicted.shape)


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


def _sense(tail: Tail, meeting: Meeting) -> float:
    """Whether what meets the answers rises with the likelihood that it was made from, or falls."""
    found = _likelihood(tail, meeting)
    predicted, made = _prediction_made(meeting)
    if found is None or made is None or found is predicted:
        return 1.0
    rows = tuple(row for row in tail.rows if row.number <= made[0].number)
    moved = Tail(predicted, rows, ()).replay({id(found): found.detach().cpu() + LITTLE}, on_cpu=True)
    return 1.0 if float((moved - predicted.detach().cpu()).sum()) >= 0 else -1.0


def _likelihood(tail: Tail, meeting: Meeting) -> torch.Tensor | None:
    """The last likelihood, or its logarithm, on the way to the meeting."""
    own = {row.number for row in tail.rows}
    waiting, seen = [_prediction_made(meeting)], set[int]()
    logarithm: torch.Tensor | None = None
    while waiting:
        tensor, made = waiting.pop(0)
        if made is not None and (made[0].likely or made[0].name in LIKELY):
            return tensor if logarithm is None else logarithm
        if made is not None and made[0].name == "log":
            logarithm = tensor
        if made is None or made[0].number not in own or made[0].number in seen:
            continue
        seen.add(made[0].number)
        waiting += [(item, origin) for item, _, origin in made[0].inputs if item.requires_grad]
    return None


def _prediction(meeting: Meeting) -> torch.Tensor:
    return _prediction_made(meeting)[0]


def _prediction_made(meeting: Meeting) -> tuple[torch.Tensor, Made | None]:
    return next(
        (tensor, made)
        for tensor, marks, made in meeting.row.inputs
        if tensor.requires_grad and tensor.ndim and marks & Mark.TRAINED
    )


def _step(predicted: torch.Tensor) -> torch.Tensor:
    """Probabilities stay positive."""
    positive = bool((predicted > 0).all())
    return LITTLE * (predicted if positive else predicted.abs().max().clamp_min(1.0).expand(predicted.shape))
