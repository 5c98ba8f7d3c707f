"""A loss function by itself, on made-up tensors: its value and its gradient over a grid. Runs in a process of its own.

python -m firstlight.experiments.loss_card MODULE:FUNCTION ANSWER
"""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from firstlight.records import wire
from firstlight.records.steered import LossCard, LossPlace

SIDE = 21


@dataclass(frozen=True)
class LossKind:
    """What a loss may be given: how a place of the grid becomes a prediction and a target, and which way is right."""

    name: str
    x: str
    y: str
    reach: float
    made: Callable[[float, float], tuple[torch.Tensor, torch.Tensor]]
    """The first elements of the prediction, two or one, are what the place decides. Two examples of three classes, so
    that a loss that goes element by element refuses them."""


KINDS = (
    LossKind(
        "classes",
        "score of the right class",
        "score of a wrong class",
        10.0,
        lambda x, y: (torch.tensor([[x, y, 0.0], [x, y, 0.0]]), torch.tensor([0, 0])),
    ),
    LossKind("numbers", "prediction", "target", 5.0, lambda x, y: (torch.tensor([[x]]), torch.tensor([[y]]))),
    LossKind(
        "yes or no",
        "score",
        "target (yes above 0)",
        10.0,
        lambda x, y: (torch.tensor([[x]]), torch.tensor([[1.0 if y > 0 else 0.0]])),
    ),
)


def function_of(word: str) -> Callable[..., Any]:
    """A class is made first, as `nn.CrossEntropyLoss` must be."""
    name, _, attribute = word.rpartition(":")
    if name.endswith(".py"):
        file = Path(name).resolve()
        sys.path.insert(0, str(file.parent))
        name = file.stem
    value: Any = importlib.import_module(name)
    for part in attribute.split("."):
        value = getattr(value, part)
    found: Callable[..., Any] = value() if isinstance(value, type) else value
    return found


def place(loss: Callable[..., Any], kind: LossKind, x: float, y: float) -> LossPlace:
    prediction, target = kind.made(x, y)
    prediction.requires_grad_()
    value = loss(prediction, target)
    value = value.mean() if value.ndim else value
    (gradient,) = torch.autograd.grad(value, prediction, allow_unused=True) if value.requires_grad else (None,)
    slopes = [0.0] if gradient is None else [float(one) for one in gradient.flatten()[:2]]
    return LossPlace(float(value.detach()), tuple(slopes), bool(torch.isfinite(value)))


def card(word: str) -> LossCard:
    loss = function_of(word)
    problems = []
    for kind in KINDS:
        side = [kind.reach * (2 * at / (SIDE - 1) - 1) for at in range(SIDE)]
        try:
            rows = tuple(tuple(place(loss, kind, x, y) for x in side) for y in side)
        except Exception as error:  # noqa: BLE001 (a loss may refuse what it is not made for in any way)
            problems.append(f"{kind.name}: {error}".splitlines()[0])
            continue
        found = LossCard(kind=kind.name, x=kind.x, y=kind.y, side=tuple(side), rows=rows)
        if kind.name != "numbers" or is_of_numbers(found):
            return found
    raise SystemExit(f"it takes none of the tensors that were made up for it ({'; '.join(problems)})")


def is_of_numbers(card: LossCard) -> bool:
    """It is lowest where the prediction is the target; scores of a yes or no are lowest at an end instead."""
    at = 3 * SIDE // 4
    values = [one.value for one in card.rows[at]]
    return values[at] <= min(values)


def main() -> None:
    word, answer = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    Path(answer).write_bytes(wire.encode(card(word)))


if __name__ == "__main__":
    main()
