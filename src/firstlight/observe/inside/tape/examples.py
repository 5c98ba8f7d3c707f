"""The examples of a batch: putting their answers out of order, telling them apart, and knowing them again."""

from collections.abc import Hashable, Mapping, Sequence

import torch

from firstlight.observe.inside import reading

MOST_COLUMNS = 4096
"""Of each example; the rest is taken to be like them."""
MOST_KNOWN = 1_000_000
ROUNDING = 4.0
"""Units in the last place by which equal examples may come to differ."""
COARSE = 1e-6
"""Formats coarser than this must agree exactly: nearly alike says little there."""


def permuted(answers: Mapping[int, torch.Tensor], generator: torch.Generator) -> dict[int, torch.Tensor]:
    """One order for all answers of a step, so that what belongs together stays so.

    The shortest first axis counts the examples; one that is a multiple of it holds each example's rows in a block. What
    is said of pairs of examples goes along with both, unless it is the same of all: that each belongs to itself alone.
    """
    examples = min(len(answer) for answer in answers.values())
    orders: dict[int, torch.Tensor] = {}
    found = {}
    for key, answer in answers.items():
        unit = examples if len(answer) % examples == 0 else len(answer)
        order = orders.get(unit)
        if order is None:
            orders[unit] = order = torch.randperm(unit, generator=generator, device="cpu")
        blocks = answer.detach().reshape(unit, -1, *answer.shape[1:])
        found[key] = blocks[order.to(answer.device)].reshape(answer.shape)
        if unit == len(answer) and is_of_pairs(answer):
            both = found[key][:, order.to(answer.device)]
            found[key] = found[key] if torch.equal(both, answer) else both
    return found


def is_of_pairs(answer: torch.Tensor) -> bool:
    """Which examples belong together: the same of one and the other as of the other and the one."""
    square = answer.ndim == 2 and answer.shape[0] == answer.shape[1] > 1 and answer.layout is torch.strided
    return square and torch.equal(answer, answer.t())


def differing(tensor: torch.Tensor, batch: int) -> int | None:
    """How many of the examples differ from one another; None where they do not lie along the first axis."""
    if batch < 2 or tensor.ndim == 0 or tensor.shape[0] != batch:
        return None
    values = tensor.detach().reshape(batch, -1)[:, :MOST_COLUMNS].double()
    if bool(torch.isnan(values).any()):
        return None
    if bool((values == values[:1]).all()):
        return 1
    precision = torch.finfo(tensor.dtype).eps if tensor.is_floating_point() else 0.0
    furthest = (values - values[:1]).abs().nan_to_num(nan=torch.inf).max()
    if precision < COARSE and bool(furthest <= ROUNDING * precision * values.abs().max()):
        return 1
    return int(torch.unique(values, dim=0).shape[0])


def spread(tensor: torch.Tensor) -> float:
    """Root mean square of what differs between the examples, which lie along the first axis."""
    values = tensor.detach().reshape(len(tensor), -1)[:, :MOST_COLUMNS].double()
    return float((values - values.mean(0)).square().mean().sqrt())


class Examples:
    """Examples that a network was fed, known again by a number for each, or by where they are stored.

    What is changed anew in each pass has other values, and is no other example unless another answer is asked of it.
    """

    def __init__(self) -> None:
        self._known: set[Hashable] = set()
        self.count = 0
        """Different ones."""

    def mostly_new(
        self,
        entered: Sequence[torch.Tensor],
        rows: Sequence[Hashable] | None = None,
        answers: Sequence[torch.Tensor] = (),
    ) -> bool:
        """Whether more than half of these examples were never fed before; they are known from now on."""
        values: Sequence[Hashable] = codes(entered)
        stored = _with_answers(rows, answers) if rows and len(rows) == len(values) else values
        seen = [not self._known.isdisjoint(names) for names in zip(values, stored, strict=True)]
        self.count += len({name for name, known in zip(stored, seen, strict=True) if not known})
        if len(self._known) < MOST_KNOWN:
            self._known.update(values, stored)
        return 2 * seen.count(False) > len(seen)


def _with_answers(rows: Sequence[Hashable], answers: Sequence[torch.Tensor]) -> list[Hashable]:
    dense = (answer.detach() for answer in answers if answer.layout is torch.strided)
    blocks = [answer.reshape(len(rows), -1) for answer in dense if len(answer) % len(rows) == 0]
    asked = codes(blocks) or [0.0] * len(rows)
    return list(zip(rows, asked, strict=True))


def codes(entered: Sequence[torch.Tensor]) -> list[float]:
    """One number for each example, from all tensors that have as many rows as the first."""
    total: torch.Tensor | None = None
    for tensor in entered:
        if not reading.readable(tensor) or tensor.is_sparse or (total is not None and len(tensor) != len(total)):
            continue
        rows = tensor.detach().reshape(len(tensor), -1)[:, :MOST_COLUMNS].double()
        weights = torch.cos(torch.arange(1, rows.shape[1] + 1, dtype=torch.float64, device=rows.device) ** 1.5)
        code = (rows * weights).sum(1)
        total = code if total is None else total + code
    return [] if total is None else total.tolist()
