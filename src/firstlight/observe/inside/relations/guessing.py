"""What the other examples make of each one's class: a kernel ridge regression that leaves it out.

Leaving one out has a closed form, so that no fold is fitted twice; kernel and ridge are those that foretell best.
"""

from collections.abc import Iterator

import torch
from msgspec.structs import replace

from firstlight.observe.inside.relations.neighbours import COUNT, distances, scaled
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.doubts import Doubts, doubts_of

LEAST_EXAMPLES = 256
MOST_EXAMPLES = 640
"""Three decompositions of so many rows take some tenths of a second."""
MOST_CLASSES = 64
RIDGES = (0.01, 0.1, 1.0, 10.0, 100.0)


def guessed(table: torch.Tensor, answer: AnswerMet) -> Doubts:
    if len(table) < LEAST_EXAMPLES or not 1 < answer.classes <= MOST_CLASSES:
        return Doubts()
    given = answer.values[:MOST_EXAMPLES].long()
    code = torch.nn.functional.one_hot(given, answer.classes).double()
    chances = foretold(table, code)[0].clamp(0, 1)
    found = doubts_of(given.tolist(), chances.tolist())
    called = answer.kinds or range(answer.classes)
    told = [replace(one, given=called[one.given], expected=called[one.expected]) for one in found.doubtful]
    return replace(found, doubtful=tuple(told))


def foretold(table: torch.Tensor, code: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Each row of the code as the others foretell it, and of how many rows that was done."""
    table, code = table[:MOST_EXAMPLES], code[:MOST_EXAMPLES]
    mean = code.mean(0)
    return _left_out(scaled(table).double(), code - mean) + mean, len(code)


def _left_out(table: torch.Tensor, code: torch.Tensor) -> torch.Tensor:
    """For each example, the code that all others foretell."""
    best, found = float(code.pow(2).mean()), torch.zeros_like(code)
    for kernel in kernels(table):
        sizes, vectors = torch.linalg.eigh(kernel)
        for ridge in RIDGES:
            shrunk = 1 / (sizes.clamp_min(0) + ridge)
            left = vectors @ (shrunk[:, None] * (vectors.t() @ code)) / (vectors**2 @ shrunk)[:, None]
            error = float(left.pow(2).mean())
            if error < best:
                best, found = error, code - left
    return found


def kernels(table: torch.Tensor) -> Iterator[torch.Tensor]:
    """A line in the features, and bells as wide as the nearest examples and as the usual ones lie apart."""
    yield table @ table.t() / max(1, table.shape[1])
    apart = distances(table)
    for width in (apart.topk(COUNT, largest=False).values[:, -1].median(), apart.median()):
        if width > 0:
            yield torch.exp(-apart.clamp_min(0).fill_diagonal_(0) / (2 * width))
