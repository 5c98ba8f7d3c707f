"""What the step under way was fed: batches of the loader, inputs of the models, and the random state they met."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.guard.capture.surroundings import torch_random
from firstlight.observe.inside.reading import tensors_in

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard

MOST_CALLS = 8
"""Forward passes of one step whose inputs are held: gradient accumulation, several models."""
MOST_BATCHES = 4
"""Loaders run ahead of the training; the batch of a step is looked for among so many."""
MOST_HELD = 2
"""Steps that leapt and whose inputs are held, for a flag that names one of them later."""


@dataclass(eq=False)
class Meal:
    """One step's."""

    step: dict[int, int] = field(default_factory=dict)
    """By optimizer: the step it began."""
    tick: int = -1
    """Steps of all optimizers, counted together."""
    inputs: deque[tuple[Any, ...]] = field(default_factory=lambda: deque(maxlen=MOST_CALLS))
    random: dict[str, Any] = field(default_factory=dict)
    autocast: str | None = None
    batches: list[Any] = field(default_factory=list)
    """Of a step that is held: what the loader gave for it."""


class Feeding:
    """Holds what passes by reference: nothing is copied, and nothing is read, until it is captured."""

    def __init__(self) -> None:
        self._now = Meal()
        self._last: Meal | None = None
        self._held: deque[Meal] = deque(maxlen=MOST_HELD)
        self._batches: deque[Any] = deque(maxlen=MOST_BATCHES)
        self._fresh = False
        """A batch came since the last step."""
        self._hooked: set[int] = set()
        self._handles: list[Any] = []

    def batch_came(self, _guard: "Guard", batch: Any) -> None:
        self._batches.append(batch)
        self._fresh = True

    def follow(self, guard: "Guard") -> None:
        """Models may join while training goes on."""
        for model in guard.models.values():
            if id(model) not in self._hooked:
                self._hooked.add(id(model))
                entered = guard.shield("inputs", self._entered)
                self._handles.append(model.register_forward_pre_hook(_silent(entered), with_kwargs=True))

    def _entered(self, _model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        meal = self._now
        if not meal.inputs:
            meal.random = torch_random()
            meal.autocast = autocast_now()
        meal.inputs.append((args, kwargs))

    def step_begins(self, optimizer: int, step: int, tick: int) -> None:
        self._now.step[optimizer], self._now.tick = step, tick

    def step_ended(self) -> None:
        self._last, self._now, self._fresh = self._now, Meal(), False

    def under_way(self) -> Meal | None:
        """What the step that has not ended was fed; None between two steps."""
        return self._now if self._now.inputs or self._fresh else None

    def of(self, optimizer: int, step: int) -> Meal | None:
        """What a step was fed, while that is still known."""
        known = (self._now, self._last, *self._held)
        return next((meal for meal in known if meal and meal.step.get(optimizer) == step), None)

    def hold(self, optimizer: int, step: int) -> Meal | None:
        """Keeps what a step was fed, by reference, until others are held in its place."""
        meal = self.of(optimizer, step)
        if meal is not None and meal not in self._held:
            meal.batches = self.batches_of(meal)
            self._held.append(meal)
        return meal

    def batches_of(self, meal: Meal) -> list[Any]:
        """The loader's batches that the models' inputs came from; the last one where that cannot be told."""
        if meal.batches:
            return meal.batches
        given = [tensor for call in meal.inputs for tensor in tensors_in(list(call))]
        found = [batch for batch in self._batches if any(_same(t, g) for t in tensors_in(batch) for g in given)]
        return found or list(self._batches)[-1:]

    def close(self) -> None:
        for handle in self._handles:
            handle.remove()


def _silent(entered: Any) -> Any:
    """A hook for calls in training that returns nothing, and so changes nothing."""

    def hook(model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            entered(model, args, kwargs)

    return hook


def _same(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    if left.device == right.device and left.data_ptr() == right.data_ptr():
        return True
    return torch.equal(left.detach().cpu(), right.detach().cpu())


def autocast_now() -> str | None:
    """The precision a model is called in, where autocast sets one."""
    for device in _devices():
        if torch.is_autocast_enabled(device):
            return str(torch.get_autocast_dtype(device)).removeprefix("torch.")
    return None


def _devices() -> Iterator[str]:
    yield "cpu"
    if torch.cuda.is_initialized():
        yield "cuda"
