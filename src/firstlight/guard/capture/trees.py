"""Values of a program as trees of named tensors, and back.

Dicts, lists, tuples, named tuples, dataclasses and mappings such as `BatchEncoding` keep their shape; what is neither
that nor a number, a word or a tensor is left out by its type. Rebuilding imports nothing an artifact names: a class is
only used when the program that rebuilds has imported it itself.
"""

import ctypes
import dataclasses
import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch

from firstlight.errors import ArtifactError
from firstlight.records.artifact import DictNode, ListNode, Node, ObjectNode, OpaqueNode, TensorNode, WordNode
from firstlight.store.tensors import Outgoing, Stored

DTYPES: dict[torch.dtype, str] = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.float8_e5m2: "F8_E5M2",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.int16: "I16",
    torch.uint16: "U16",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int32: "I32",
    torch.uint32: "U32",
    torch.float32: "F32",
    torch.int64: "I64",
    torch.uint64: "U64",
    torch.float64: "F64",
    torch.complex64: "C64",
}
BY_NAME = {name: dtype for dtype, name in DTYPES.items()}
MOST_DEPTH = 16
MOST_NODES = 200_000
WORDS: dict[type, Literal["int", "float", "str", "bool", "none"]] = {
    int: "int",
    float: "float",
    str: "str",
    bool: "bool",
    type(None): "none",
}
READERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": lambda text: text == "True",
    "none": lambda _: None,
}


class Fields(dict[str, Any]):
    """Stands in for an object whose class is not at hand: its fields by name or as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Packer:
    """Turns one value into a tree. `tensors` are those met, detached and not copied."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self._seen: dict[tuple[Any, ...], str] = {}
        self._nodes = 0

    def pack(self, value: Any, name: str = "", depth: int = 0) -> Node:
        self._nodes += 1
        if depth > MOST_DEPTH or self._nodes > MOST_NODES:
            return OpaqueNode(type="beyond the depth or number of things that are kept")
        if isinstance(value, torch.Tensor):
            return self._tensor(value, name)
        if (word := word_of(value)) is not None:
            return word
        if type(value) in (list, tuple):
            items = tuple(self.pack(item, f"{name}.{at}", depth + 1) for at, item in enumerate(value))
            return ListNode(kind="list" if type(value) is list else "tuple", items=items)
        if isinstance(value, Mapping) and (keys := _words(value)) is not None and _is_plain(value):
            items = tuple(
                self.pack(item, f"{name}.{key.text}", depth + 1) for key, item in zip(keys, value.values(), strict=True)
            )
            return DictNode(keys=keys, items=items)
        if (fields := _fields(value)) is not None:
            kind, found = fields
            items = tuple(self.pack(item, f"{name}.{key}", depth + 1) for key, item in found.items())
            return ObjectNode(kind=kind, type=_type(value), names=tuple(found), items=items)
        return self._array(value, name)

    def _tensor(self, tensor: torch.Tensor, name: str, array: bool = False) -> Node:
        kept = _local(tensor.detach())
        if kept is None:
            return OpaqueNode(type=f"{_type(tensor)} {tensor.dtype} {tensor.layout}")
        place = (kept.device, kept.data_ptr(), tuple(kept.shape), kept.stride(), kept.dtype)
        key = self._seen.get(place) if kept.numel() else None
        if key is None:
            key = name.lstrip(".") or "value"
            while key in self.tensors:
                key += "'"
            self.tensors[key] = kept
            self._seen[place] = key
        return TensorNode(key=key, device=str(tensor.device), array=array)

    def _array(self, value: Any, name: str) -> Node:
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
            try:
                return self._tensor(torch.from_numpy(numpy.array(value)), name, array=True)
            except TypeError:  # strings, objects, dates
                pass
        return OpaqueNode(type=_type(value))


def unpack(node: Node, tensors: Mapping[str, torch.Tensor]) -> Any:
    """The value again. Raises ArtifactError where a tensor is missing."""
    match node:
        case TensorNode():
            if node.key not in tensors:
                raise ArtifactError(f"the tensor {node.key!r} is missing from the artifact")
            return tensors[node.key].numpy() if node.array else tensors[node.key]
        case WordNode():
            return READERS[node.kind](node.text)
        case ListNode():
            items = [unpack(item, tensors) for item in node.items]
            return items if node.kind == "list" else tuple(items)
        case DictNode():
            return {
                unpack(key, tensors): unpack(item, tensors) for key, item in zip(node.keys, node.items, strict=True)
            }
        case ObjectNode():
            return _object(node, {n: unpack(item, tensors) for n, item in zip(node.names, node.items, strict=True)})
        case OpaqueNode():
            return None


def outgoing(tensors: Mapping[str, torch.Tensor]) -> dict[str, Outgoing]:
    return {
        name: Outgoing(dtype=DTYPES[tensor.dtype], shape=tuple(tensor.shape), read=_reader(tensor))
        for name, tensor in tensors.items()
    }


def incoming(stored: Mapping[str, Stored]) -> dict[str, torch.Tensor]:
    """Copies, so that what was read can be written to and the file let go."""
    return {name: _from_bytes(item) for name, item in stored.items()}


def _from_bytes(item: Stored) -> torch.Tensor:
    dtype = BY_NAME[item.dtype]
    if not len(item.data):
        return torch.empty(item.shape, dtype=dtype)
    return torch.frombuffer(bytearray(item.data), dtype=dtype).reshape(item.shape)


def _reader(tensor: torch.Tensor) -> Callable[[], bytes | memoryview]:
    def read() -> bytes | memoryview:
        found = tensor.to("cpu").contiguous().resolve_conj().resolve_neg()
        size = found.numel() * found.element_size()
        if not size:
            return b""
        # Not by way of NumPy, which the user may not have. The bytes keep the tensor they belong to.
        buffer: Any = (ctypes.c_char * size).from_address(found.data_ptr())
        buffer.tensor = found
        return memoryview(buffer).cast("B")

    return read


def word_of(value: Any) -> WordNode | None:
    kind = WORDS.get(type(value))
    return None if kind is None else WordNode(kind=kind, text="" if value is None else str(value))


def _words(value: Mapping[Any, Any]) -> tuple[WordNode, ...] | None:
    found = [word_of(key) for key in value]
    return tuple(word for word in found if word is not None) if None not in found else None


def _is_plain(value: Mapping[Any, Any]) -> bool:
    """A class of its own only where its names could be used as attributes: `BatchEncoding`, `ModelOutput`."""
    kind = type(value)
    return (
        kind is dict or kind.__module__ in ("collections", "builtins") or not all(isinstance(key, str) for key in value)
    )


def _fields(value: Any) -> tuple[Literal["dataclass", "namedtuple", "mapping"], dict[str, Any]] | None:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return "mapping", dict(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return "namedtuple", dict(zip(value._fields, value, strict=True))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return "dataclass", {
            f.name: getattr(value, f.name) for f in dataclasses.fields(value) if hasattr(value, f.name)
        }
    return None


def _type(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def _object(node: ObjectNode, fields: dict[str, Any]) -> Any:
    """With the class the program itself has under that name, where it is of the kind it was; else its fields."""
    module, _, name = node.type.partition(":")
    kind = getattr(sys.modules.get(module), name, None)
    if isinstance(kind, type):
        try:
            if node.kind == "namedtuple" and issubclass(kind, tuple) and getattr(kind, "_fields", None) == node.names:
                return kind(**fields)
            if node.kind == "dataclass" and dataclasses.is_dataclass(kind):
                return _without_init(kind, fields)
            if node.kind == "mapping" and issubclass(kind, Mapping):
                made: Any = kind
                return made(fields)
        except Exception:  # noqa: BLE001  # a class that has changed since: its fields still serve
            return Fields(fields)
    return Fields(fields)


def _without_init(kind: type, fields: dict[str, Any]) -> Any:
    """`__post_init__` ran when the object was made first."""
    made: Any = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _local(tensor: torch.Tensor) -> torch.Tensor | None:
    """Plain dense values of this rank; None where there are none to be had."""
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()
    if tensor.layout in (torch.sparse_coo, torch.sparse_csr):
        tensor = tensor.to_dense()
    if tensor.layout is not torch.strided or tensor.device.type == "meta" or tensor.dtype not in DTYPES:
        return None
    return tensor
