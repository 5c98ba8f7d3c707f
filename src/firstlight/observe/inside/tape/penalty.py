"""How hard a loss pulls at weights or outputs by itself, beside what it pulls through the data or the answers.

A penalty on weights rests on nothing that the network was fed, so it can be computed again from the weights alone,
however it is written. What else is in their gradients after the backward comes through the data. And a term of the loss
that meets no answer is a wish about outputs, whatever is right: held still are the terms that do meet answers.
"""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from firstlight.observe.inside.tape.influence import outputs_of
from firstlight.observe.inside.tape.recorder import Input, Mark, Row, walk
from firstlight.observe.inside.tape.runaway import is_compared
from firstlight.observe.inside.tape.tail import CANNOT, Tail
from firstlight.observe.inside.tape.terms import passes
from firstlight.records.taped import OUTPUTS, PenaltySeen

MOST_ELEMENTS = 1 << 24


@dataclass(frozen=True)
class WeightPenalty:
    row: Row
    """The first call of it."""
    pulls: tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None], ...]
    """Weights with the gradient of the penalty, and with what was in their gradients before the backward."""

    def sizes(self) -> tuple[float, float]:
        """After the backward: the norm of the gradients of the penalty, and of those that came through the data."""
        own = through = 0.0
        for weights, pull, before in self.pulls:
            if weights.grad is not None and not weights.grad.is_sparse:
                rest = weights.grad.detach().double() - pull.double() - (0 if before is None else before.double())
                own, through = own + float(pull.double().square().sum()), through + float(rest.square().sum())
        return math.sqrt(own), math.sqrt(through)


def penalty_of(tail: Tail) -> WeightPenalty | None:
    """None where no weights enter the loss but through the data."""
    alone = [row for row in tail.rows if row.marks == Mark.TRAINED]
    weights = {
        id(tensor): tensor
        for row in alone
        for tensor, marks, made in row.inputs
        if made is None and marks == Mark.TRAINED and tensor.numel() > 1 and tensor.is_floating_point()
    }
    if not weights or sum(tensor.numel() for tensor in weights.values()) > MOST_ELEMENTS:
        return None
    with torch.enable_grad():
        copies = {key: tensor.detach().clone().requires_grad_() for key, tensor in weights.items()}
        pulls = torch.autograd.grad(tail.replay(copies), list(copies.values()), materialize_grads=True)
    before = [None if tensor.grad is None else tensor.grad.detach().clone() for tensor in weights.values()]
    return WeightPenalty(alone[0], tuple(zip(weights.values(), pulls, before, strict=True)))


def wishes(tail: Tail) -> Iterator[PenaltySeen]:
    """What the terms without answers pull at outputs that others compare with answers, if there are both.

    Outputs that no answer is compared with, such as a variance, are balanced by such terms, and not asked.
    """
    compared = {meeting.row.number for meeting in tail.meetings if meeting.marks & (Mark.DATA | Mark.DRAWN)}
    if not compared or tail.own_answers or tail.weighted:
        return
    terms = {id(term[0]): term for term in _terms(tail)}
    told = {key: term for key, term in terms.items() if compared & _behind(term)}
    aside = [term for key, term in terms.items() if key not in told]
    with contextlib.suppress(*CANNOT):
        outputs = list(outputs_of(tail)) if told and aside else []
        outputs = [one for one in outputs if is_compared(tail, one, compared, whole=True)]
        pairs = _pulls(tail, outputs, [term[0] for term in told.values()]) if outputs else []
        shared = [(own, whole - own) for own, whole in pairs if bool((whole != own).any()) and bool((own != 0).any())]
        if shared:
            own, through = (
                math.sqrt(sum(float(one.square().sum()) for one in part)) for part in zip(*shared, strict=True)
            )
            yield PenaltySeen(site=_first(tail, aside).line, own=own, through=through, on=OUTPUTS)


def _terms(tail: Tail) -> Iterator[Input]:
    """Of the sum that the loss is."""
    own, seen, waiting = {row.number for row in tail.rows}, set[int](), [tail.rows[-1]]
    while waiting:
        row = waiting.pop()
        for item in row.inputs if row.number not in seen else ():
            made = item[2]
            if not item[0].requires_grad or made is None or made[0].number not in own:
                continue
            if passes(made[0]):
                waiting.append(made[0])
            else:
                yield item
        seen.add(row.number)


def _behind(term: Input) -> set[int]:
    return {row.number for row in walk(term[2][0])} if term[2] is not None else set()


def _first(tail: Tail, aside: list[Input]) -> Row:
    """The last call of what pulls by itself: there it was summed up."""
    last = max(term[2][0].number for term in aside if term[2] is not None)
    after = [row for row in tail.rows if any(made is not None and made[0].number == last for _, _, made in row.inputs)]
    return after[0] if after else tail.rows[-1]


def _pulls(
    tail: Tail, outputs: list[torch.Tensor], told: list[torch.Tensor]
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """For each output the gradient of the loss with what was told held still, and that of the whole."""
    still = {id(tensor): tensor.detach() for tensor in told}
    found = []
    for held in (still, {}):
        with torch.enable_grad():
            leaves = {id(output): output.detach().cpu().requires_grad_() for output in outputs}
            loss = tail.replay({**leaves, **held}, on_cpu=True)
            if not loss.requires_grad:
                return []
            slopes = torch.autograd.grad(loss, list(leaves.values()), materialize_grads=True)
        found.append([slope.double() for slope in slopes])
    return list(zip(*found, strict=True))
