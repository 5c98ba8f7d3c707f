"""Walks a copy of a program through weights of our choice: at every step it computes its loss there, on one batch.

The program's own loop does the computing. What its optimizer does is overwritten, and random numbers begin anew at each
step, so that two losses differ by the weights alone.
"""

from collections.abc import Callable
from typing import Any

import torch

from firstlight.experiments.inside import steering
from firstlight.observe.inside.observer import Observer

Weights = list[torch.Tensor]
SEEDS = (1, 2)


def plane(observer: Observer, value: str) -> None:
    """`SIDE:REACH:TRAIN`: a square of so many places a side, around the weights after TRAIN steps."""
    words = value.split(":")
    side, reach, train = int(words[0]), float(words[1]), int(words[2])
    places = [(_place(row, side, reach), _place(column, side, reach)) for row in range(side) for column in range(side)]

    def begin(weights: Weights) -> Callable[[int], Weights]:
        centre = [one.detach().clone() for one in weights]
        first, second = (direction(centre, seed) for seed in SEEDS)

        def at(step: int) -> Weights:
            down, across = places[min(step, len(places) - 1)]
            return [c + across * a + down * b for c, a, b in zip(centre, first, second, strict=True)]

        return at

    _walk(observer, begin, train)


def line(observer: Observer, value: str) -> None:
    """`STEPS:TRAIN:BEYOND`: from the first weights to those after TRAIN steps, and as far beyond as a share says."""
    words = value.split(":")
    steps, train, beyond = int(words[0]), int(words[1]), float(words[2])
    start: Weights = []

    def begin(weights: Weights) -> Callable[[int], Weights]:
        end = [one.detach().clone() for one in weights]

        def at(step: int) -> Weights:
            share = along(step, steps, beyond)
            return [a + share * (b - a) for a, b in zip(start, end, strict=True)]

        return at

    def note(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        if not start:
            start.extend(p.detach().clone() for p in _held(observer))

    observer.moments.step_begins.append(note)
    _walk(observer, begin, train)


def along(step: int, steps: int, beyond: float) -> float:
    """Where on the line a step of the walk stands: 0 at its beginning, 1 at the weights that were trained."""
    return -beyond + (1 + 2 * beyond) * min(1.0, step / max(1, steps - 1))


def _place(index: int, side: int, reach: float) -> float:
    return reach * (2 * index / max(1, side - 1) - 1)


def direction(weights: Weights, seed: int) -> Weights:
    """Random, as long as the weights are, filter by filter (Li et al. 2018); vectors, as biases are, stay."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for one in weights:
        drawn = torch.randn(one.shape, generator=generator, device="cpu", dtype=torch.float32).to(one)
        found.append(torch.zeros_like(one) if one.ndim <= 1 else drawn * _lengths(one) / (_lengths(drawn) + 1e-10))
    return found


def _lengths(tensor: torch.Tensor) -> torch.Tensor:
    """Of each row of the first axis, ready to be multiplied with."""
    lengths: torch.Tensor = torch.linalg.vector_norm(tensor.flatten(1), dim=1)
    return lengths.reshape(-1, *[1] * (tensor.ndim - 1))


def _held(observer: Observer) -> Weights:
    return [p for entry in observer.optimizers() for p in entry.parameters if p.is_floating_point()]


def _walk(observer: Observer, begin: Callable[[Weights], Callable[[int], Weights]], train: int) -> None:
    """Trains as the program does for so many steps, at least one; then each step's loss is that of one place."""
    steering.repeat_batch(observer, str(train))
    walker: list[Callable[[int], Weights]] = []
    state = torch.get_rng_state()

    def move(*_: Any) -> None:
        step = observer.step - train
        if step < 0:
            return
        held = _held(observer)
        with torch.no_grad():
            if not walker:
                walker.append(begin(held))
            for parameter, value in zip(held, walker[0](step), strict=True):
                parameter.copy_(value)

    def begin_anew(*_: Any) -> None:
        """Once the batch is there: what a loader draws when an epoch begins is behind us."""
        if observer.step >= train:
            torch.set_rng_state(state)

    observer.moments.next_step.append(move)
    observer.moments.batch_given.append(begin_anew)
