"""A folder of images as a table: what each looks like in a few numbers, and its folder as the class."""

import warnings
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.engine import require

SIDE = 8
IMAGES_PER_BATCH = 512
MOST_BYTES = 256 << 20
"""Of one file; what is larger is told as broken."""
MOST_PIXELS = 200_000_000
FLAT = 1.0
"""Standard deviation of the grey values, of 255, below which an image shows nothing."""


def batches_of(folder: Path) -> Iterator[Any]:
    """`file`, `label`, `width`, `height`, `mode`, `brightness`, `contrast`, a small grey picture, and two keys:
    `content` is equal for equal files, `look` for images that look alike."""
    from firstlight.data.opening import PICTURES

    require("PIL", "reading images")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES and path.is_file())
    classes = len({path.parent for path in files}) > 1
    for first in range(0, len(files), IMAGES_PER_BATCH):
        rows = [_row(path, folder, classes) for path in files[first : first + IMAGES_PER_BATCH]]
        yield pa.RecordBatch.from_pylist(rows, schema=_schema(classes))


def _schema(classes: bool) -> Any:
    label = [("label", pa.string())] if classes else []
    fixed = [("file", pa.string()), *label, ("content", pa.string()), ("look", pa.string()), ("mode", pa.string())]
    numbers = [("width", pa.int32()), ("height", pa.int32()), ("brightness", pa.float32()), ("contrast", pa.float32())]
    return pa.schema([*fixed, ("broken", pa.string()), *numbers, *((name, pa.float32()) for name in GREY)])


GREY = tuple(f"grey_{row}{column}" for row in range(SIDE) for column in range(SIDE))


def _row(path: Path, folder: Path, classes: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"file": path.relative_to(folder).as_posix()}
    if classes:
        row["label"] = path.parent.relative_to(folder).as_posix()
    try:
        if path.stat().st_size > MOST_BYTES:
            raise OSError(f"it has more than {MOST_BYTES >> 20} MB")
        row["content"] = blake2b(path.read_bytes(), digest_size=16).hexdigest()
        return row | _seen(path)
    except (OSError, ValueError, SyntaxError) as problem:  # what Pillow raises for files that are damaged
        return row | {"broken": f"{type(problem).__name__}: {str(problem).replace(str(path), path.name)}"}


def _seen(path: Path) -> dict[str, Any]:
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(f"it has {image.width} × {image.height} pixels")
            size, mode, grey = image.size, image.mode, image.convert("L")
        small = np.asarray(grey.resize((SIDE, SIDE), Image.Resampling.BOX), dtype=np.float32)
        wide = np.asarray(grey.resize((SIDE + 1, SIDE), Image.Resampling.BOX), dtype=np.int16)
        shades = np.asarray(grey, dtype=np.float32)
    return {
        "look": None if shades.std() < FLAT else look_of(wide),
        "mode": mode,
        "width": size[0],
        "height": size[1],
        "brightness": float(shades.mean()),
        "contrast": float(shades.std()),
        **dict(zip(GREY, map(float, small.ravel()), strict=True)),
    }


def look_of(wide: Any) -> str:
    """The difference hash: whether each place is brighter than its left neighbour. Survives scaling and compression."""
    bits = (np.diff(wide, axis=1) > 0).ravel()
    return f"{int(np.packbits(bits).view('>u8')[0]):016x}"
