"""Which tensors an optimizer moves, under the names the user knows, as dense local memory."""

from collections.abc import Mapping
from typing import Any

import torch

from firstlight.guard.naming import plain
from firstlight.guard.statistics.rows import L2, Tensors

SPARSE_EVERY, SETTLED = 64, 3
"""Whether gradients are sparse is asked at the first steps and now and then: asking costs as much as reading."""


class Subjects:
    """The parameters of one optimizer, each once, with its name in the models."""

    def __init__(self, optimizer: torch.optim.Optimizer, models: Mapping[str, torch.nn.Module]) -> None:
        self.optimizer = optimizer
        self._size = size_of(optimizer)
        names = names_of(models)
        self.parameters: list[torch.Tensor] = []
        self.names: list[str] = []
        self._groups: list[int] = []
        self._calls, self._sparse = 0, False
        seen: set[int] = set()
        for number, group in enumerate(optimizer.param_groups):
            for place, parameter in enumerate(group["params"]):
                if id(parameter) not in seen and parameter.is_floating_point():
                    seen.add(id(parameter))
                    self.parameters.append(parameter)
                    self.names.append(names.get(id(parameter), f"group{number}.{place}"))
                    self._groups.append(number)
        self.kinds = {n: kind_of(p) for n, p in zip(self.names, self.parameters, strict=True)}
        """By name, whether it is a matrix, and whether it is kept in 16 bits."""

        self._plain = not any(hasattr(parameter, "_local_tensor") for parameter in self.parameters)

    @property
    def outdated(self) -> bool:
        return size_of(self.optimizer) != self._size

    @property
    def parted(self) -> list[bool]:
        return [is_parted(parameter) for parameter in self.parameters]

    @property
    def device(self) -> torch.device:
        return self.parameters[0].device if self.parameters else torch.device("cpu")

    def tensors(self) -> Tensors:
        """As they are now: between two steps gradients are freed and made anew, and weights may be put elsewhere."""
        gradients = [parameter.grad for parameter in self.parameters]
        if self._calls % SPARSE_EVERY < SETTLED:
            self._sparse = any(grad is not None and grad.is_sparse for grad in gradients)
        self._calls += 1
        if self._plain and not self._sparse:
            return Tensors(gradients, self.parameters)
        return Tensors([None if grad is None else local(grad) for grad in gradients], self.weights())

    def rates(self) -> list[float | None]:
        """The learning rate of each, where the host knows it."""
        groups: list[float | None] = []
        for group in self.optimizer.param_groups:
            lr: Any = group.get("lr")
            groups.append(None if isinstance(lr, torch.Tensor) or lr is None else float(lr))
        return [groups[number] if number < len(groups) else None for number in self._groups]

    def spread_of(self, zeros: list[float]) -> list[float]:
        """Shares of zeros, with 1 for gradients that are sparse by layout."""
        if not self._sparse:
            return zeros
        pairs = zip(self.parameters, zeros, strict=True)
        return [1.0 if p.grad is not None and p.grad.is_sparse else share for p, share in pairs]

    def largest(self, gradients: torch.Tensor) -> str | None:
        """The parameter with the longest of these rows of gradients."""
        return self.names[int(gradients[:, L2].argmax())] if self.names else None

    def by_identity(self) -> dict[int, str]:
        return {id(parameter): name for parameter, name in zip(self.parameters, self.names, strict=True)}

    def weights(self) -> list[torch.Tensor]:
        return [local(parameter) for parameter in self.parameters]


def kind_of(parameter: torch.Tensor) -> tuple[bool, bool]:
    return parameter.ndim > 1, parameter.element_size() == 2


def size_of(optimizer: torch.optim.Optimizer) -> int:
    return sum(len(group["params"]) for group in optimizer.param_groups)


def names_of(models: Mapping[str, torch.nn.Module]) -> dict[int, str]:
    """By identity; a tied weight keeps its first name. Several models put theirs in front."""
    found: dict[int, str] = {}
    for model_name, model in models.items():
        prefix = f"{model_name}." if len(models) > 1 else ""
        for name, parameter in model.named_parameters():
            found.setdefault(id(parameter), prefix + plain(name))
    return found


def local(tensor: torch.Tensor) -> torch.Tensor:
    """This rank's part of a DTensor; the values of a sparse gradient."""
    part: Any = getattr(tensor, "_local_tensor", None)
    if part is not None:
        tensor = part
    if tensor.is_sparse:
        tensor = (tensor.coalesce() if tensor.device.type == "cpu" else tensor)._values()
    return tensor.detach()


def is_parted(parameter: torch.Tensor) -> bool:
    """Each rank holds a part of it."""
    return any(placement.is_shard() for placement in getattr(parameter, "placements", ()))
