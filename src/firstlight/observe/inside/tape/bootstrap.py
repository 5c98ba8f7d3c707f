"""Answers that a network had a hand in: a reward, and a part of what the network says of what comes next.

Found by asking, whoever wrote them and however: the answers are computed again with all that the network says a little
higher, and with nothing of it. What they rise by is the part that is taken; what is left is the reward.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside.tape.compares import COMPARES
from firstlight.observe.inside.tape.recorder import DRAWS, PARAMETER, Made, Mark, Row, TorchCall
from firstlight.observe.inside.tape.tail import CANNOT, NotRepeatableError, Tail, replaced

LEAST_EXAMPLES = 8
CLEAN = 1e-3
"""Relative; parts that differ by more are not one discount."""
MOST_ROWS = 4096
JOINS = frozenset({"cat", "concat", "concatenate", "hstack"})
"""What puts data beside what a network gave, to be fed to another one."""


@dataclass(frozen=True)
class TargetParts:
    row: Row
    """Where predictions meet the answers."""
    part: torch.Tensor
    """Of the network's value, for each example, and below, what is left without it."""
    alone: torch.Tensor
    same: bool
    carries: bool


def bootstraps(tail: Tail) -> Iterator[TargetParts]:
    """One for each comparison of predictions with such answers, where the answers have clear structure.

    Answers are what predictions are to come to: where the two are the same, the loss wants nothing more of them.
    It does of values that are only kept from going far from earlier ones.
    """
    for row in tail.rows:
        sides = [one for one in row.inputs if one[1] & PARAMETER and one[0].is_floating_point()]
        if row.name not in COMPARES or len(sides) != 2 or sides[0][0].numel() != sides[1][0].numel():
            continue
        for (predicted, _, one), (answer, _, other) in (sides, sides[::-1]):
            if not predicted.requires_grad or one is None or other is None or answer.numel() < LEAST_EXAMPLES:
                continue
            with contextlib.suppress(*CANNOT):
                found = _bootstrap(row, one, other, answer)
                if found is not None and _rests(tail, predicted, answer):
                    yield found


def _rests(tail: Tail, predicted: torch.Tensor, answer: torch.Tensor) -> bool:
    """The loss has no slope where predictions are the answers, beside the one it has a little further on."""
    there = answer.detach().reshape(predicted.shape)
    at_rest, further = (_slope(tail, predicted, there + away) for away in (0.0, 1.0))
    return at_rest <= CLEAN * further


def _slope(tail: Tail, predicted: torch.Tensor, instead: torch.Tensor) -> float:
    with torch.enable_grad():
        leaf = instead.clone().requires_grad_()
        (slope,) = torch.autograd.grad(tail.replay({id(predicted): leaf}), leaf, materialize_grads=True)
    return float(slope.abs().max())


def _bootstrap(row: Row, predicted: Made, made: Made, answer: torch.Tensor) -> TargetParts | None:
    if made[0].door:
        return None
    rows = sorted(_between(made[0]), key=lambda one: one.number)
    values = {id(t): t.detach() for one in rows for t, marks, origin in one.inputs if _is_value(t, marks, origin)}
    data = [t for one in rows for t, marks, _ in one.inputs if not marks & PARAMETER and _is_reward(t, answer)]
    if not values or (answer.requires_grad and not data):
        return None
    asked = [_again(rows, made, {key: value + up for key, value in values.items()}) for up in (0.0, 1.0, 2.0)]
    alone = _again(rows, made, {key: torch.zeros_like(value) for key, value in values.items()})
    if not torch.allclose(asked[0], answer.detach(), rtol=1e-4, atol=1e-5):
        return None
    part = (asked[1] - asked[0]).double().flatten()
    clean = torch.allclose(part, (asked[2] - asked[1]).double().flatten(), rtol=CLEAN, atol=CLEAN)
    taken = part[part.abs() > CLEAN]
    if not clean or not len(taken) or not bool(((taken - taken.median()).abs() < CLEAN * taken.median()).all()):
        return None
    fed, own = _fed(made[0]), _fed(predicted[0])
    same = bool(fed) and all(any(torch.equal(one, other) for other in own if one.shape == other.shape) for one in fed)
    return TargetParts(row, part, alone.double().flatten(), same, answer.requires_grad)


def _is_value(tensor: torch.Tensor, marks: Mark, made: Made | None) -> bool:
    """What a network gave. What was drawn, the rows of a replay or an action of the network's, is no opinion."""
    given = made is not None and made[0].door and made[0].name not in DRAWS
    return given and bool(marks & PARAMETER) and tensor.is_floating_point()


def _is_reward(tensor: torch.Tensor, answer: torch.Tensor) -> bool:
    return tensor.is_floating_point() and not tensor.requires_grad and tensor.numel() == answer.numel()


def _between(top: Row) -> Iterator[Row]:
    """The rows behind one, up to the network."""
    seen, waiting = set[int](), [top]
    while waiting:
        row = waiting.pop()
        if row.number in seen or row.door or not row.inputs:
            continue
        seen.add(row.number)
        yield row
        waiting.extend(made[0] for _, _, made in row.inputs if made is not None)


def _again(rows: list[Row], made: Made, instead: dict[int, torch.Tensor]) -> torch.Tensor:
    values: dict[tuple[int, int], torch.Tensor] = {}
    for row in rows:
        told = {}
        for tensor, _, origin in row.inputs:
            if id(tensor) in instead:
                told[id(tensor)] = instead[id(tensor)]
            elif origin is not None and (origin[0].number, origin[1]) in values:
                told[id(tensor)] = values[origin[0].number, origin[1]]
        if told:
            values.update({(row.number, at): tensor for at, tensor in enumerate(_called(row, told))})
    if (made[0].number, made[1]) not in values:
        raise NotRepeatableError
    return values[made[0].number, made[1]]


def _called(row: Row, told: dict[int, torch.Tensor]) -> list[torch.Tensor]:
    call = row.again if row.arguments is None else TorchCall(row.function, row.name, row.arguments, row.keywords)
    if call is None or row.writes:
        raise NotRepeatableError
    with torch.no_grad():
        result: Any = call.function(*replaced(call.arguments, told), **replaced(call.keywords, told))
    return [result] if isinstance(result, torch.Tensor) else [t for t in result if isinstance(t, torch.Tensor)]


def _fed(top: Row) -> list[torch.Tensor]:
    """What the network behind a row was given: what enters it and rests on no parameter."""
    found: dict[int, torch.Tensor] = {}
    seen, waiting = set[int](), [top]
    while waiting and len(seen) < MOST_ROWS:
        row = waiting.pop()
        if row.number in seen:
            continue
        seen.add(row.number)
        inside = row.door or row.name in JOINS
        for tensor, marks, made in row.inputs:
            if marks & PARAMETER and made is not None:
                waiting.append(made[0])
            elif inside and marks & Mark.DATA and tensor.numel() > 1:
                found |= {id(part): part for part in _parts(tensor, made)}
    return list(found.values())


def _parts(tensor: torch.Tensor, made: Made | None) -> list[torch.Tensor]:
    """States and actions that were put side by side are compared one by one."""
    if made is None or made[0].name not in JOINS or not made[0].inputs:
        return [tensor]
    return [part for part, _, _ in made[0].inputs]
