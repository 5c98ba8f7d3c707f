"""Digests of torch's first operations, in their order: two runs of one seed part where these do."""

import ctypes
import zlib
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.records.trials import OperationDigests

MOST_OPERATIONS = 20_000
ROWS_A_RECORD = 300
MOST_BYTES = 4 << 20
"""Of one tensor, from its beginning."""
SAYS_NOTHING = ("detach", "empty", "empty_like", "empty_strided", "new_empty", "alias", "resize_", "set_")
"""OperationDigests that compute nothing, or return memory as it was left."""
OVERWRITES = ("uniform_", "normal_", "random_", "bernoulli_", "exponential_", "zero_", "fill_", "copy_")
"""They take no account of what was in the tensor that they fill."""


def follow(observer: Observer) -> "Digests":
    digests = Digests(observer)
    digests.__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the run
    return digests


class Digests(TorchDispatchMode):
    """Beneath autograd, so that what `backward` and the optimizers do is seen as well."""

    def __init__(self, observer: Observer) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._observer, self._emit = observer, observer.emit
        self._rows: list[tuple[str, str, int, int]] = []
        self._count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        name = func.overloadpacket.__name__
        if self._count >= MOST_OPERATIONS or self._observer.reading or name in SAYS_NOTHING:
            return func(*args, **options)
        given = _digest((args[1:] if name in OVERWRITES else args, {**options, "out": None}))
        found = func(*args, **options)
        site = sites.caller()
        line = "" if site is None else f"{site.file}:{site.line}"
        self._rows.append((name, line, given, _digest(args if found is None else found)))
        self._count += 1
        if len(self._rows) == ROWS_A_RECORD or self._count == MOST_OPERATIONS:
            self.tell()
        return found

    def tell(self) -> None:
        rows, self._rows = tuple(self._rows), []
        first = self._count - len(rows)
        self._emit(OperationDigests(rows=rows, first=first))


def _digest(tree: Any, seed: int = 0) -> int:
    """Of every tensor and number in it, by value."""
    if isinstance(tree, torch.Tensor):
        return _digest_of_tensor(tree, seed)
    if isinstance(tree, int | float | str):
        return zlib.crc32(repr(tree).encode(), seed)
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list | tuple):
        for item in tree:
            seed = _digest(item, seed)
    return seed


def _digest_of_tensor(tensor: torch.Tensor, seed: int) -> int:
    if tensor.layout is not torch.strided or tensor.is_meta or type(tensor).__name__ == "FakeTensor":
        return seed
    plain = tensor.detach().cpu().contiguous()
    size = min(plain.numel() * plain.element_size(), MOST_BYTES)
    return zlib.crc32((ctypes.c_char * size).from_address(plain.data_ptr()), seed) if size else seed
