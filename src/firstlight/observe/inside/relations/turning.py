"""Does mirroring an example make another class of it? A left hand becomes a right one, a rise becomes a fall.

A plain fit to the examples as they are kept is asked for the class of those that are given mirrored. What is mirrored
twice is as it was. So where mirroring matters, classes change places in pairs: one is taken for the other, and the
other for the one. A fit that merely does not know mirrored examples takes them for anything, but not so.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch

from firstlight.observe.inside.relations.guessing import RIDGES
from firstlight.observe.inside.relations.neighbours import distances, scaled
from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.stored import ClassesTurned

CLEAR, UNCLEAR = 0.8, 0.1
"""Likeness of an example with one that is mirrored, and by how much it exceeds that as it is."""
SOME = 0.1
"""Of the examples, at least, that are turned, and that are not."""
LEAST_OF_A_CLASS = 6
"""Given mirrored, of either class of a pair."""
SERIES, IMAGE = 1, 2
MIRRORS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "backwards": lambda t: t.flip(-1),
    "mirrored top to bottom": lambda t: t.flip(-2),
    "turned by half": lambda t: t.flip(-1, -2),
}


class TakenFor(NamedTuple):
    """How often examples of one class are taken for the other and the other way round, whichever is less."""

    share: float
    pair: tuple[int, int]
    examples: int


def classes_turned(kept: torch.Tensor, given: torch.Tensor, answer: AnswerMet) -> ClassesTurned:
    """`kept` and `given` are the same examples, of one shape."""
    squeezed = kept.reshape(len(kept), *[size for size in kept.shape[1:] if size > 1]).float()
    changed = given.reshape(squeezed.shape).float()
    if squeezed.ndim - 1 not in (SERIES, IMAGE) or answer.classes < 2:
        return ClassesTurned()
    axes = squeezed.ndim - 1
    own = likeness(squeezed, changed)
    for name, mirror in list(MIRRORS.items())[: 1 if axes == SERIES else len(MIRRORS)]:
        there = likeness(mirror(squeezed), changed)
        mirrored = (there >= CLEAR) & (there >= own + UNCLEAR)
        if float(mirrored.float().mean()) >= SOME:
            guesses, right = _guessed(squeezed.flatten(1), changed.flatten(1), answer)
            taken = _taken(answer.values.long()[mirrored], guesses[mirrored], answer.classes)
            called = answer.kinds or tuple(range(answer.classes))
            return ClassesTurned(
                how="mirrored left to right" if axes == IMAGE and name == "backwards" else name,
                share=float(mirrored.float().mean()),
                kept=right,
                pair=tuple(called[one] for one in taken.pair),
                examples=taken.examples,
                taken=taken.share,
            )
    return ClassesTurned()


def likeness(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Correlation of each example with the other, moved to where it is greatest: what is mirrored may be moved too."""
    axes = tuple(range(1, first.ndim))
    unit = [t - t.mean(axes, keepdim=True) for t in (first, second)]
    unit = [t / t.pow(2).sum(axes, keepdim=True).sqrt().clamp_min(1e-12) for t in unit]
    one, other = (torch.fft.fftn(t, dim=axes) for t in unit)
    found: torch.Tensor = torch.fft.ifftn(one.conj() * other, dim=axes).real.flatten(1).amax(1)
    return found


def _guessed(kept: torch.Tensor, given: torch.Tensor, answer: AnswerMet) -> tuple[torch.Tensor, float]:
    """What a fit to what is kept says to what is given, and how often it is right about kept ones it was not given."""
    both = scaled(torch.cat([kept, given])).double()
    here, there = both[: len(kept)], both[len(kept) :]
    classes = answer.values.long()
    code = torch.nn.functional.one_hot(classes, answer.classes).double()
    mean = code.mean(0)
    squares = distances(here).clamp_min(0).fill_diagonal_(0)
    width = squares.median().clamp_min(1e-12)
    sizes, vectors = torch.linalg.eigh(torch.exp(-squares / width))
    best, found = -1.0, torch.zeros_like(classes)
    for ridge in RIDGES:
        shrunk = 1 / (sizes.clamp_min(0) + ridge)
        weights = vectors @ (shrunk[:, None] * (vectors.t() @ (code - mean)))
        foretold = code - weights / (vectors**2 @ shrunk)[:, None]
        right = float((foretold.argmax(1) == classes).double().mean())
        if right > best:
            said = torch.exp(-torch.cdist(there, here).pow(2) / width) @ weights + mean
            best, found = right, said.argmax(1)
    return found, best


def _taken(classes: torch.Tensor, guesses: torch.Tensor, count: int) -> TakenFor:
    """The pair of classes that change places most."""
    table = torch.zeros(count, count).index_put_((classes, guesses), torch.ones(len(classes)), accumulate=True)
    rows = table.sum(1)
    share = table / rows.clamp_min(1)[:, None]
    share[rows < LEAST_OF_A_CLASS] = 0.0
    mutual = torch.minimum(share, share.t()).fill_diagonal_(0.0)
    one, other = divmod(int(mutual.argmax()), count)
    return TakenFor(float(mutual[one, other]), (one, other), int(rows[one] + rows[other]))
