"""A folder of images as a table: what each looks like in a few numbers, and its folder as the class."""

import base64
import io
import warnings
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from firstlight.data.engine import require

SIDE = 8
THUMB = 48
"""Pixels to a side of what the page shows: less than the 4000 characters an attribute may have."""
IMAGES_PER_BATCH = 512
MOST_BYTES = 256 << 20
"""Of one file; what is larger is told as broken."""
MOST_PIXELS = 200_000_000
DARKEST = 2
"""Of 255: no value above it, in images whose values from 0 to 1 were written as if they went to 255."""
FLAT = 1.0
"""Standard deviation of the values of each colour, of 255, below which an image shows nothing."""


def batches_of(folder: Path) -> Iterator[Any]:
    """`file`, `label`, `width`, `height`, `mode`, `brightest` (of 255), means by colour, `contrast`, a small grey
    picture, by which near copies are known, and `content`, which is equal for equal files."""
    from firstlight.data.opening import PICTURES

    require("PIL", "reading images")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES and path.is_file())
    classes = len({path.parent for path in files}) > 1
    for first in range(0, len(files), IMAGES_PER_BATCH):
        rows = [_row(path, folder, classes) for path in files[first : first + IMAGES_PER_BATCH]]
        yield pa.RecordBatch.from_pylist(rows, schema=_schema(classes))


def _schema(classes: bool) -> Any:
    label = [("label", pa.string())] if classes else []
    fixed = [("file", pa.string()), *label, ("content", pa.string()), ("mode", pa.string()), ("broken", pa.string())]
    whole = [(name, pa.int32()) for name in ("width", "height", "brightest")]
    return pa.schema([*fixed, *whole, *((name, pa.float32()) for name in (*COLOURS, "contrast", *GREY))])


COLOURS = ("red", "green", "blue")
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
            size, mode, grey, colours = image.size, image.mode, image.convert("L"), image.convert("RGB")
        small = np.asarray(grey.convert("F").resize((SIDE, SIDE), Image.Resampling.BOX))
        shades = np.asarray(grey, dtype=np.float32)
        pixels = np.asarray(colours).reshape(-1, 3)
    return {
        "mode": mode,
        "width": size[0],
        "height": size[1],
        "brightest": int(shades.max()),
        **dict(zip(COLOURS, map(float, pixels.mean(axis=0)), strict=True)),
        "contrast": float(pixels.std(axis=0).max()),
        **dict(zip(GREY, map(float, small.ravel()), strict=True)),
    }


def thumbnail(folder: str, file: str) -> str:
    """A small copy of an image as a `data:` address; nothing where it can no longer be read."""
    from PIL import Image

    made = io.BytesIO()
    try:
        with warnings.catch_warnings(), Image.open(Path(folder) / file) as image:
            warnings.simplefilter("ignore")
            image.thumbnail((THUMB, THUMB))
            image.convert("RGB").save(made, "JPEG", quality=75)
    except (OSError, ValueError, SyntaxError):
        return ""
    return f"data:image/jpeg;base64,{base64.b64encode(made.getvalue()).decode()}"
