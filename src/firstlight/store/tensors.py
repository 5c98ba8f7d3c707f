"""Named tensors in one file, in the safetensors format, read and written with the standard library alone.

Written here rather than by the library of that name because this runs inside the user's process, whose environment we
add nothing to, and because a tensor at a time goes to disk: a model's worth of bytes is never held twice.

The file is untrusted when read. Every name, type, shape and offset is checked against the file before a byte of it is
handed out, and nothing is allocated by what the header claims.
"""

import itertools
import json
import math
import mmap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from firstlight.errors import ArtifactError
from firstlight.store import plain_files

BITS = {
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "I64": 64,
    "U64": 64,
    "F64": 64,
    "C64": 64,
}
MOST_HEADER_BYTES = 100 << 20
"""What the format itself allows."""
MOST_DIMENSIONS = 32
PREFIX = 8
ALIGNMENT = 8


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A tensor to write; its bytes are asked for when their turn comes."""

    dtype: str
    shape: tuple[int, ...]
    read: Callable[[], bytes | memoryview]

    @property
    def size(self) -> int:
        return math.prod(self.shape) * BITS[self.dtype] // 8


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in a file; its bytes are those of the file, mapped and read when touched."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


def write(file: IO[bytes], tensors: Mapping[str, Outgoing]) -> None:
    """Raises OSError as the file does; what is on disk by then is not a readable file."""
    # Wide types first, as the format's own library does: every tensor is then aligned to its element.
    order = sorted(tensors, key=lambda name: (-BITS[tensors[name].dtype], name))
    header: dict[str, Any] = {}
    end = 0
    for name in order:
        tensor = tensors[name]
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [end, end + tensor.size]}
        end += tensor.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    file.write(len(text).to_bytes(PREFIX, "little"))
    file.write(text)
    for name in order:
        data = tensors[name].read()
        if len(data) != tensors[name].size:
            raise ArtifactError(f"tensor {name} gave {len(data)} bytes where {tensors[name].size} were announced")
        file.write(data)


def read(path: Path) -> dict[str, Stored]:
    """Raises ArtifactError, with the reason, for anything that is not a whole and consistent file of tensors."""
    try:
        with plain_files.opened(path) as file:
            size = file.seek(0, 2)
            if size < PREFIX:
                raise ArtifactError(f"{path} is truncated: {size} bytes")
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise ArtifactError(f"cannot read {path}: {error.strerror or error}") from None
    length = int.from_bytes(mapped[:PREFIX], "little")
    if length > min(MOST_HEADER_BYTES, size - PREFIX):
        raise ArtifactError(f"{path} is truncated, or no file of tensors: its header would have {length} bytes")
    body = mapped[PREFIX + length :]
    return dict(_entries(path, bytes(mapped[PREFIX : PREFIX + length]), body))


def _entries(path: Path, header: bytes, body: memoryview) -> Iterator[tuple[str, Stored]]:
    try:
        entries = json.loads(header)
    except (ValueError, RecursionError):
        raise ArtifactError(f"{path}: the header is not JSON") from None
    if not isinstance(entries, dict):
        raise ArtifactError(f"{path}: the header is not a JSON object")
    covered: list[tuple[int, int]] = []
    for name, entry in entries.items():
        if name == "__metadata__":
            continue
        dtype, shape, begin, end = _checked(path, name, entry)
        covered.append((begin, end))
        if end > len(body):
            raise ArtifactError(f"{path} is truncated: tensor {name!r} ends at {end} of {len(body)} bytes")
        yield name, Stored(dtype=dtype, shape=shape, data=body[begin:end])
    covered.sort()
    if any(left[1] > right[0] for left, right in itertools.pairwise(covered)):
        raise ArtifactError(f"{path}: tensors overlap")


def _checked(path: Path, name: str, entry: Any) -> tuple[str, tuple[int, ...], int, int]:
    dtype = entry.get("dtype") if isinstance(entry, dict) else None
    if not isinstance(dtype, str) or dtype not in BITS:
        raise ArtifactError(f"{path}: tensor {name!r} has no type known here: {str(dtype)[:40]!r}")
    shape, offsets = entry.get("shape"), entry.get("data_offsets")
    if not _counts(shape) or len(shape) > MOST_DIMENSIONS or not _counts(offsets) or len(offsets) != 2:
        raise ArtifactError(f"{path}: tensor {name!r} has no shape and place")
    begin, end = offsets
    if end - begin != math.prod(shape) * BITS[dtype] // 8:
        raise ArtifactError(f"{path}: tensor {name!r} has {end - begin} bytes, which does not fit its shape and type")
    return dtype, tuple(shape), begin, end


def _counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)
