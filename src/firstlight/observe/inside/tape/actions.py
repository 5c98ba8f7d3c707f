"""The likelihoods in a loss of what the program did: what it makes more of, the gradient by them tells."""

from collections.abc import Iterator

import torch

from firstlight.observe.inside.tape.compares import SELECTS
from firstlight.observe.inside.tape.reach import MOVES
from firstlight.observe.inside.tape.recorder import Made, Row
from firstlight.observe.inside.tape.tail import Tail

PROBABILITIES = frozenset({"softmax", "sigmoid"})
LOGARITHMS = frozenset({"log_softmax", "logsigmoid"})


def likelihoods(tail: Tail) -> Iterator[torch.Tensor]:
    """Logarithms of likelihoods by torch's distributions, and of one action chosen from a softmax, in order."""
    outputs = {
        made[0].number: (tensor, made)
        for row in tail.rows
        for tensor, _, made in row.inputs
        if made is not None and tensor.requires_grad
    }
    found = {row.number for row in tail.rows if row.number in outputs and (row.likely or _is_choice(row))}
    earlier = {
        made[0].number for row in tail.rows if row.number in found for _, _, made in row.inputs if made is not None
    }
    yield from (outputs[number][0] for number in sorted(found - earlier))


def _is_choice(row: Row) -> bool:
    """It is the logarithm of a probability, with one thing chosen on the way."""
    names: set[str] = set()
    made: Made | None = (row, 0)
    while made is not None and made[0].name in MOVES | SELECTS | {"log"}:
        names.add(made[0].name)
        made = next((item[2] for item in made[0].inputs if item[0].requires_grad), None)
    if row.name not in SELECTS | {"log"} or not names & SELECTS or made is None:
        return False
    return made[0].name in LOGARITHMS or (made[0].name in PROBABILITIES and "log" in names)
