"""Puts back what probes share with the program they run in: random states, switches of torch, the place of loaders."""

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

PLAIN = (bool, int, float, complex, str, bytes, type(None))
MOST_DEPTH = 3
Restore = Callable[[], None]


@contextlib.contextmanager
def kept(shared: tuple[object, ...]) -> Iterator[None]:
    """Exactly as before when the block ends, however it ends."""
    restores = [*_random_states(), *_switches()]
    seen: set[int] = set()
    for item in shared:
        restores += _places(item, seen)
    try:
        yield
    finally:
        for restore in restores:
            restore()


def _random_states() -> Iterator[Restore]:
    torch_state, python_state = torch.get_rng_state(), random.getstate()
    yield lambda: torch.set_rng_state(torch_state)
    yield lambda: random.setstate(python_state)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy_state = numpy.random.get_state()
        yield lambda: numpy.random.set_state(numpy_state)
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        cuda_states = torch.cuda.get_rng_state_all()
        yield lambda: torch.cuda.set_rng_state_all(cuda_states)


def _switches() -> Iterator[Restore]:
    grad, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    deterministic, anomaly = torch.are_deterministic_algorithms_enabled(), torch.is_anomaly_enabled()
    yield lambda: _set(torch.set_grad_enabled, grad)
    yield lambda: torch.set_default_dtype(dtype)
    yield lambda: torch.use_deterministic_algorithms(deterministic)
    yield lambda: _set(torch.autograd.set_detect_anomaly, anomaly)


def _set(setter: Callable[[Any], Any], value: Any) -> None:
    setter(value)


def _places(item: Any, seen: set[int], depth: int = 0) -> Iterator[Restore]:
    """Generators and counters in a loader, its sampler and its data set; modules with everything they hold."""
    if id(item) in seen or depth > MOST_DEPTH or isinstance(item, (*PLAIN, torch.Tensor)):
        return
    seen.add(id(item))
    if isinstance(item, torch.Generator):
        state = item.get_state()
        yield lambda: _set(item.set_state, state)
    elif isinstance(item, random.Random):
        own = item.getstate()
        yield lambda: item.setstate(own)
    elif type(item).__name__ == "Generator" and hasattr(item, "bit_generator"):
        bits = item.bit_generator.state
        yield lambda: setattr(item.bit_generator, "state", bits)
    elif isinstance(item, torch.nn.Module):
        yield from _module(item)
    elif hasattr(item, "__dict__") and not isinstance(item, type):
        yield from _attributes(item, seen, depth)


def _attributes(item: Any, seen: set[int], depth: int) -> Iterator[Restore]:
    plain = {name: value for name, value in vars(item).items() if isinstance(value, PLAIN)}
    yield lambda: vars(item).update(plain)
    for value in list(vars(item).values()):
        yield from _places(value, seen, depth + 1)


def _module(module: torch.nn.Module) -> Iterator[Restore]:
    """A loss may be a module too, and a factory may hand out the one the program goes on to train."""
    modes = [(part, part.training) for part in module.modules()]
    tensors = [(t, t.detach().clone()) for t in [*module.parameters(), *module.buffers()]]
    gradients = [(p, p.grad, None if p.grad is None else p.grad.detach().clone()) for p in module.parameters()]

    def restore() -> None:
        for part, mode in modes:
            part.training = mode
        with torch.no_grad():
            for tensor, value in tensors:
                if not torch.equal(tensor, value):
                    tensor.copy_(value)
        for parameter, gradient, was in gradients:
            parameter.grad = gradient
            if gradient is not None and was is not None:
                gradient.copy_(was)

    yield restore
