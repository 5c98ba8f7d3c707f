"""Native code that opens a path by itself: it is given the path of the copy."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firstlight.observe.inside.containment.given import like
from firstlight.observe.inside.containment.overlay import Overlay
from firstlight.observe.inside.containment.replacing import replace_when_imported
from firstlight.observe.inside.containment.stand_ins import Route

CHANGE = os.O_RDWR | os.O_CREAT
_REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC

Flags = int | Callable[[tuple[Any, ...], dict[str, Any]], int]


def _by_mode(position: int) -> Flags:
    """For a function that has a mode, at `position` or by name."""

    def flags(args: tuple[Any, ...], options: dict[str, Any]) -> int:
        mode = str(args[position] if len(args) > position else options.get("mode", "r")).replace("b", "")
        known = {"r": os.O_RDONLY, "w": _REPLACE, "r+": os.O_RDWR, "a": CHANGE}
        return known.get(mode, os.O_WRONLY | os.O_CREAT | os.O_EXCL)

    return flags


def _when_shared(args: tuple[Any, ...], options: dict[str, Any]) -> int:
    """`torch.from_file` maps the file itself, and makes it where it is not."""
    return CHANGE if (args[1] if len(args) > 1 else options.get("shared")) else os.O_RDONLY


_NATIVE: tuple[tuple[str, str, int, str, Flags], ...] = (
    ("torch.serialization", "save", 1, "f", _REPLACE),
    ("torch.serialization", "load", 0, "f", os.O_RDONLY),
    ("torch", "save", 1, "f", _REPLACE),
    ("torch", "load", 0, "f", os.O_RDONLY),
    ("torch.jit", "save", 1, "f", _REPLACE),
    ("torch.jit", "load", 0, "f", os.O_RDONLY),
    ("torch", "from_file", 0, "filename", _when_shared),
    ("torch", "_C.PyTorchFileWriter", 0, "file_name", _REPLACE),
    ("torch", "_C.PyTorchFileReader", 0, "file_name", os.O_RDONLY),
    ("torch", "_C.ScriptModule.save", 1, "filename", _REPLACE),
    ("torch.export", "save", 1, "f", _REPLACE),
    ("torch.export", "load", 0, "f", os.O_RDONLY),
    ("torch.autograd.profiler", "profile.export_chrome_trace", 1, "path", _REPLACE),
    ("safetensors", "serialize_file", 1, "filename", _REPLACE),
    ("safetensors", "safe_open", 0, "filename", os.O_RDONLY),
    ("safetensors", "_safe_open_handle", 0, "filename", os.O_RDONLY),
    ("tokenizers", "Tokenizer.save", 1, "path", _REPLACE),
    ("tokenizers", "Tokenizer.from_file", 0, "path", os.O_RDONLY),
    ("h5py", "File.__init__", 1, "name", _by_mode(2)),
    ("pyarrow", "memory_map", 0, "path", _by_mode(1)),
    ("pyarrow", "OSFile", 0, "path", _by_mode(1)),
    ("pyarrow.parquet.core", "ParquetWriter.__init__", 1, "where", _REPLACE),
    ("pyarrow.parquet.core", "ParquetFile.__init__", 1, "source", os.O_RDONLY),
    ("pyarrow.parquet.core", "read_table", 0, "source", os.O_RDONLY),
    ("cv2", "imwrite", 0, "filename", _REPLACE),
    ("cv2", "imread", 0, "filename", os.O_RDONLY),
)
"""Module, function or method, the position and name of the parameter that is a path, and how the file is opened."""


def route_native(overlay: Overlay) -> None:
    for module, dotted, position, keyword, flags in _NATIVE:
        replace_when_imported(module, dotted, functools.partial(_route_path, overlay, position, keyword, flags))


def mapped(overlay: Overlay, path: Any, flags: int) -> Any:
    """The path native code may open. It meets a missing directory itself, so that the error is its own."""
    if not isinstance(path, str | bytes | os.PathLike) or "://" in os.fsdecode(path):
        return path
    text = os.fsdecode(path)
    try:
        physical = overlay.opened(text, flags)
    except (FileNotFoundError, NotADirectoryError):
        physical = overlay.layers.kept(overlay.paths.locate(text))
    if physical == text:
        return path
    return type(path)(physical) if isinstance(path, Path) else like(path, physical)


def _route_path(overlay: Overlay, position: int, keyword: str, flags: Flags, original: Route) -> Route:
    def routed(*args: Any, **options: Any) -> Any:
        chosen = flags if isinstance(flags, int) else flags(args, options)
        if keyword in options:
            options[keyword] = mapped(overlay, options[keyword], chosen)
        elif len(args) > position:
            args = (*args[:position], mapped(overlay, args[position], chosen), *args[position + 1 :])
        return original(*args, **options)

    return routed
