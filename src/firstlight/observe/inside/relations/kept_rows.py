"""Where a dataset keeps its examples: the places in arrays, tensors and lists from which those of some rows are taken.

Everything in reach of the dataset is looked through, but for what is the same size whatever the number of examples.
"""

import functools
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

import torch

from firstlight.observe.inside import reading, sites

MOST_DEPTH = 4
MOST_ENTRIES = 64
"""Of a list or dict whose entries are looked through."""
MOST_WHOLE = 1 << 22
"""Values of an array that has no row for each example, such as a series that windows are cut from."""
NUMBERS = "fiub"
MAPPED = ("mmap", "SharedMemory", "memmap")
"""What holds the values of an array that other processes see: whatever a copy writes there is written."""


class KeptPlace(NamedTuple):
    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = copied(value)


def places_kept(dataset: Any, rows: Sequence[int]) -> list[KeptPlace]:
    """Of these rows; empty where a copy of the process would share what it writes with this one."""
    every = list(within(dataset, len(dataset)))
    if any(_shared(thing) for thing in every):
        return []
    return [place for thing in every for place in _places(thing, len(dataset), rows)]


def _places(thing: Any, examples: int, rows: Sequence[int]) -> Iterator[KeptPlace]:
    if is_array(thing):
        if len(thing) == examples:
            yield from (KeptPlace(thing, row) for row in rows if len(thing.shape) > 1)
        elif examples <= math.prod(thing.shape) <= MOST_WHOLE:
            yield KeptPlace(thing, ...)
    elif isinstance(thing, list | tuple) and len(thing) == examples:
        for row in rows:
            one = thing[row]
            if isinstance(thing, list) and _is_example(one):
                yield KeptPlace(thing, row)
            for part in _parts(one):
                yield KeptPlace(part, ...)


def _is_example(value: Any) -> bool:
    return is_array(value) or _is_image(value) or _is_numbers(value)


def _parts(value: Any) -> list[Any]:
    """The arrays of an example that is made of several."""
    several = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [one for one, _ in zip(several, range(MOST_ENTRIES), strict=False) if is_array(one)]


def is_array(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return reading.readable(value) and value.ndim > 0 and not value.is_complex() and not value.is_sparse
    numbers = type(value).__name__ in ("ndarray", "memmap") and value.dtype.kind in NUMBERS
    return numbers and bool(value.shape) and value.dtype.isnative


def _is_image(value: Any) -> bool:
    """Of PIL."""
    return hasattr(value, "getbands") and hasattr(value, "tobytes") and hasattr(value, "copy")


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(type(one) in (int, float) for one in value)


def _shared(thing: Any) -> bool:
    if isinstance(thing, torch.Tensor):
        return bool(thing.is_shared())
    base = thing
    while type(base).__name__ in ("ndarray", "memmap", "memoryview"):
        if type(base).__name__ == "memmap":
            return bool(base.flags.writeable) and base.mode != "c"
        base = getattr(base, "base", None) if not isinstance(base, memoryview) else base.obj
    return type(base).__name__ in MAPPED


def within(dataset: Any, examples: int) -> Iterator[Any]:
    """Everything in reach: attributes, entries (but of lists of examples), and what its own functions use besides."""
    seen: dict[int, Any] = {}
    waiting = [(dataset, 0)]
    while waiting:
        thing, depth = waiting.pop()
        if id(thing) in seen or isinstance(thing, type | str | bytes | int | float | torch.nn.Module):
            continue
        seen[id(thing)] = thing
        yield thing
        if depth < MOST_DEPTH:
            waiting += [(one, depth + 1) for one in _inside(thing, examples)]


def _inside(thing: Any, examples: int) -> list[Any]:
    if is_array(thing) or (isinstance(thing, list | tuple) and len(thing) == examples):
        return []
    if isinstance(thing, dict | list | tuple | set):
        several = thing.values() if isinstance(thing, dict) else thing
        return [one for one, _ in zip(several, range(MOST_ENTRIES), strict=False)]
    if isinstance(thing, MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, FunctionType):
        return _used(thing)
    own = [value for kind in type(thing).__mro__ for value in vars(kind).values() if isinstance(value, FunctionType)]
    return [*getattr(thing, "__dict__", {}).values(), *own]


def _used(function: FunctionType) -> list[Any]:
    """What a function of the user's has from outside."""
    if not sites.is_users(function.__code__.co_filename):
        return []
    cells = [cell.cell_contents for cell in function.__closure__ or () if _filled(cell)]
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    return [*cells, *(one for one in named if one is not None and not isinstance(one, type(sys)))]


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return value.copy() if hasattr(value, "copy") else value


def numbers_of(value: Any) -> torch.Tensor:
    """In one row."""
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", torch.double, copy=True).reshape(-1)
    if _is_image(value):
        return torch.frombuffer(bytearray(value.tobytes()), dtype=torch.uint8).double()
    if isinstance(value, list):
        return torch.tensor(value, dtype=torch.double)
    found = value.astype("float64") if hasattr(value, "astype") else value
    return torch.as_tensor(found, dtype=torch.double).reshape(-1)


def random_state(dataset: Any) -> Callable[[], None]:
    """Puts all generators in reach of the dataset back to where they are now."""
    python, tensors = random.getstate(), torch.get_rng_state()
    numpy = sys.modules.get("numpy")
    arrays = None if numpy is None else cast(Any, numpy).random.get_state()
    held = [put for thing in within(dataset, len(dataset)) if (put := _held(thing)) is not None]

    def back() -> None:
        random.setstate(python)
        torch.set_rng_state(tensors)
        if numpy is not None:
            cast(Any, numpy).random.set_state(arrays)
        for put in held:
            put()

    return back


def _held(thing: Any) -> Callable[[], object] | None:
    if isinstance(thing, random.Random):
        return functools.partial(thing.setstate, thing.getstate())
    if isinstance(thing, torch.Generator):
        return functools.partial(thing.set_state, thing.get_state())
    if type(thing).__module__.startswith("numpy.random"):
        if hasattr(thing, "bit_generator"):
            return functools.partial(setattr, thing.bit_generator, "state", thing.bit_generator.state)
        if hasattr(thing, "set_state"):
            return functools.partial(thing.set_state, thing.get_state())
    return None
