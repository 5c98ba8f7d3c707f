"""Where a loss comes to rest over free outputs of the network, and whether answers still matter there.

All outputs are moved down the slope together, from where they are and from where others of their size are. There the
best predictions are had that the loss can ask for. Were the answers dealt out to other examples now, it would have to
rise by about as much as it fell: else its lowest point knows nothing of whose answer is whose, and the further it is
minimised, the less the network does.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from firstlight.observe.inside.tape.compares import PRODUCTS
from firstlight.observe.inside.tape.examples import permuted
from firstlight.observe.inside.tape.influence import MOST_VALUES, outputs_of
from firstlight.observe.inside.tape.reach import CYCLES, FALL, FEWEST_GUESSED, KICKS, RATE, ROUNDS, SETTLED, TINY
from firstlight.observe.inside.tape.recorder import PARAMETER, Mark
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.taped import SettledSeen

MOST_ELEMENTS = 1 << 16
MOST_OUTPUTS = 4
PERMUTATIONS = 4
MATTERS = 0.1
"""Of the fall: where answers of others cost more, nothing more is asked."""
Values = dict[int, torch.Tensor]


def settlings(tail: Tail, generator: torch.Generator) -> Iterator[SettledSeen]:
    """At most one, where answers of the data meet outputs example by example, and hardly matter at the end."""
    told = {id(one.answer): one for one in tail.meetings if not one.marks & PARAMETER and one.marks & Mark.DATA}
    if tail.own_answers or tail.weighted or not told or _may_be_mask(list(told.values())):
        return
    outputs = list(outputs_of(tail, MOST_ELEMENTS))
    answers = {key: one.answer.detach() for key, one in told.items()}
    count = min(len(answer) for answer in answers.values())
    if not 0 < len(outputs) <= MOST_OUTPUTS or count < FEWEST_GUESSED or any(len(one) != count for one in outputs):
        return
    with contextlib.suppress(*CANNOT):
        lots = [permuted(answers, generator) for _ in range(PERMUTATIONS)]
        if all(torch.equal(lot[key], answer) for lot in lots for key, answer in answers.items()):
            return
        found = []
        for start in _starts(outputs, answers, generator):
            rest = _settle(tail, start, lots)
            if rest is None:
                return
            found.append(rest)
        yield _seen(tail, next(iter(told.values())), found, answers, lots)


def _may_be_mask(told: list[Meeting]) -> bool:
    """A single product with numbers of one sign may say which examples count, and not what is right for them."""
    return len(told) == 1 and told[0].row.name in PRODUCTS and bool((told[0].answer >= 0).all())


def _starts(outputs: list[torch.Tensor], answers: Values, generator: torch.Generator) -> Iterator[Values]:
    yield {id(one): one.detach().cpu() for one in outputs}
    size = _size([*outputs, *answers.values()])
    yield {id(one): size * torch.randn(one.shape, generator=generator, device="cpu").to(one.dtype) for one in outputs}


def _size(tensors: list[torch.Tensor]) -> float:
    return max([1.0, *(float(t.detach().double().abs().max()) for t in tensors if t.is_floating_point())])


class _Rest(NamedTuple):
    first: float
    lowest: float
    values: Values


def _settle(tail: Tail, start: Values, lots: list[Values]) -> _Rest | None:
    """None where the answers matter, or it still fell at its end, as what has no lower end does."""
    size = _size(list(start.values()))
    rest = _descend(tail, start, [RATE * size * FALL**at for at in range(ROUNDS)])
    for _ in range(CYCLES):
        if rest is None or _rise(tail, rest, lots) > MATTERS * (rest.first - rest.lowest):
            return None
        again = _descend(tail, rest.values, [RATE * size * FALL**at for at in range(0, ROUNDS, ROUNDS // KICKS)])
        if again is None:
            return None
        gained = rest.lowest - again.lowest
        rest = again._replace(first=rest.first) if gained > 0 else rest
        if gained <= SETTLED * max(rest.first - rest.lowest, TINY):
            return rest
    return None


def _descend(tail: Tail, start: Values, rates: list[float]) -> _Rest | None:
    """By Adam, written out because an optimizer of torch's would be seen as the program's own."""
    values = {key: value.clone() for key, value in start.items()}
    mean, square = ({key: torch.zeros_like(value) for key, value in values.items()} for _ in range(2))
    first = best = math.inf
    found = values
    for at, rate in enumerate(rates, start=1):
        loss, slopes = _slopes(tail, values, {})
        if not math.isfinite(loss):
            return None
        first = loss if at == 1 else first
        if loss < best:
            best, found = loss, dict(values)
        for key, slope in slopes.items():
            mean[key] = 0.9 * mean[key] + 0.1 * slope
            square[key] = 0.99 * square[key] + 0.01 * slope.square()
            step = mean[key] / (square[key].sqrt() + TINY) * math.sqrt(1 - 0.99**at) / (1 - 0.9**at)
            values[key] = values[key] - rate * step
    return _Rest(first, best, found)


def _slopes(tail: Tail, values: Values, answers: Values) -> tuple[float, Values]:
    with torch.enable_grad():
        leaves = {key: value.detach().requires_grad_() for key, value in values.items()}
        loss = tail.replay({**leaves, **answers}, on_cpu=True)
        slopes = torch.autograd.grad(loss, list(leaves.values()), materialize_grads=True)
    return float(loss.detach()), dict(zip(leaves, slopes, strict=True))


def _seen(tail: Tail, meeting: Meeting, found: list[_Rest], answers: Values, lots: list[Values]) -> SettledSeen:
    """Of the rests, the one at which answers matter most."""
    rises = [_rise(tail, one, lots) for one in found]
    at = max(range(len(found)), key=lambda place: rises[place])
    rest = found[at]
    return SettledSeen(
        operation=meeting.row.name,
        site=meeting.row.line,
        loss=float(tail.loss.detach()),
        first=rest.first,
        lowest=rest.lowest,
        rise=rises[at],
        apart=max(_apart(tail, one, answers) for one in found),
        crossed=_crossed(tail, found[-1], answers),
        classes=all(len(torch.unique(answer)) <= MOST_VALUES for answer in answers.values()),
    )


def _rise(tail: Tail, rest: _Rest, lots: list[Values]) -> float:
    with torch.no_grad():
        told = [float(tail.replay({**rest.values, **lot}, on_cpu=True)) for lot in lots]
    return sum(told) / len(told) - rest.lowest


def _apart(tail: Tail, rest: _Rest, answers: Values) -> float:
    """How far outputs that the loss uses are apart in different examples, over their size or how far answers are."""
    used = _slopes(tail, _moved(rest), answers)[1]
    kept = [
        one.double()[:, columns].reshape(len(one), -1)
        for key, one in rest.values.items()
        if (columns := _any(used[key])).any()
    ]
    if not kept:
        return 0.0
    asked = max(float(_spread(answer.double()).square().mean().sqrt()) for answer in answers.values())
    spread, size = (
        math.sqrt(sum(float(one.square().sum()) for one in some) / sum(one.numel() for one in kept))
        for some in ([_spread(one) for one in kept], kept)
    )
    return spread / max(size, asked, TINY)


def _spread(values: torch.Tensor) -> torch.Tensor:
    return values - values.mean(0)


def _any(slope: torch.Tensor) -> torch.Tensor:
    return (slope != 0).any(0)


def _moved(rest: _Rest) -> Values:
    """Aside from the lowest point, where all slopes may be nothing."""
    return {key: value + 1 for key, value in rest.values.items()}


def _crossed(tail: Tail, rest: _Rest, answers: Values) -> float:
    """Where one example is given the answer of another, the share of what changes that is pulled at the others; 0 where
    nothing changes."""
    other = {key: _one_changed(answer) for key, answer in answers.items()}
    before, after = (_slopes(tail, _moved(rest), told)[1] for told in (answers, other))
    rows = sum((after[key] - before[key]).double().square().reshape(len(one), -1).sum(1) for key, one in after.items())
    assert isinstance(rows, torch.Tensor)
    return float(1 - rows[0] / rows.sum()) if float(rows.sum()) > 0 else 0.0


def _one_changed(answer: torch.Tensor) -> torch.Tensor:
    differs = (answer != answer[:1]).reshape(len(answer), -1).any(1)
    changed = answer.clone()
    if bool(differs.any()):
        changed[0] = answer[int(differs.nonzero()[0])]
    return changed
