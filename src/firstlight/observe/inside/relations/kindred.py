"""Does a loss that compares labels pull together the examples of one label, or those of different ones?"""

from dataclasses import dataclass, field

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.attraction import Pulled
from firstlight.observe.inside.tape.compares import COMPARES, LOSSES
from firstlight.observe.inside.tape.kin import same
from firstlight.observe.inside.tape.recorder import Made, Mark
from firstlight.observe.inside.tape.tail import Tail
from firstlight.records.pairs import Labelled


@dataclass
class Kindred:
    """Adds up over looks. Of several kinds of labels, the one that the loss serves best counts."""

    looks: list[tuple[float, float, float]] = field(default_factory=list)

    def add(self, found: Pulled, kinds: list[torch.Tensor], blocks: int) -> None:
        asked = [look for alike in kinds if (look := _look(found, alike, blocks)) is not None]
        if asked:
            self.looks.append(max(asked, key=lambda look: look[0] - look[1]))

    def seen(self) -> Labelled:
        if not self.looks:
            return Labelled()
        same, other, nearer = (sum(part) / len(self.looks) for part in zip(*self.looks, strict=True))
        return Labelled(looks=len(self.looks), same=same, other=other, nearer=nearer)


def labels_compared(tail: Tail) -> list[torch.Tensor]:
    """For each kind of label that a loss goes by: which examples have the same one?

    Of labels that a network gave itself, nothing is said; nor where the loss holds embeddings against other answers
    too: what it does by labels may be a penalty then, for an origin that the network is to forget.
    """
    found: list[torch.Tensor] = []
    for row in tail.rows:
        for tensor, marks, made in row.inputs:
            if row.name in LOSSES | COMPARES and _is_other_answer(tensor, marks, made):
                return []
            asked = made is not None and not tensor.requires_grad and not marks & Mark.TRAINED
            for kin in made[0].kin if made is not None and asked else ():
                equal = same(kin) if all(map(reading.readable, kin)) else None
                if equal is not None and not any(torch.equal(equal, other) for other in found):
                    found.append(equal)
    return found


def _is_other_answer(tensor: torch.Tensor, marks: Mark, made: Made | None) -> bool:
    given = bool(tensor.ndim) and not tensor.requires_grad and bool(marks & Mark.DATA) and not marks & Mark.TRAINED
    return given and not (made is not None and made[0].kin)


def _look(found: Pulled, alike: torch.Tensor, blocks: int) -> tuple[float, float, float] | None:
    """None where the labels are not those of the examples, or the loss does nothing to one kind of pairs."""
    rows, examples = found.rows, found.force.shape[1]
    if examples % len(alike):
        return None
    parts = examples // len(alike)
    counts = ~torch.eye(examples, dtype=torch.bool)[rows]
    if blocks > 1:
        block = torch.arange(examples) // (examples // blocks)
        counts = counts & (block[rows][:, None] != block[None])
    kindred = alike.repeat(parts, parts)[rows]
    own, others = kindred & counts, ~kindred & counts
    pulled, mixed = share_pulled(found.force[own]), share_pulled(found.force[others])
    both = own.any(1) & others.any(1)
    if pulled is None or mixed is None or not bool(both.any()):
        return None
    mean = [(found.nearing * pairs).sum(1)[both] / pairs.sum(1)[both] for pairs in (own, others)]
    return pulled, mixed, float((mean[0] > mean[1]).double().mean())


def share_pulled(force: torch.Tensor) -> float | None:
    whole = float(force.abs().sum())
    return float(force.clamp(min=0).sum()) / whole if whole > 0 else None
