"""Files and folders as sources: by their names, and for folders by what lies in them."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from firstlight.data.source import TablePart, TableSource
from firstlight.errors import UnreadableError, UsageError
from firstlight.store.run_directory import shown

KINDS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".csv": "CSV",
    ".csv.gz": "CSV",
    ".tsv": "TSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
}
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm"})
SPLITS = {"train": "train", "validation": "val", "valid": "val", "val": "val", "dev": "val", "test": "test"}
"""Names of splits as folders have them."""
LOOKED_AT = 2000
"""Names of a folder that are looked at to say what it holds."""


def opened(path: Path, encoding: str | None = None) -> TableSource:
    if not path.exists():
        raise UsageError(f"{shown(path)} is not there.{_neighbours(path)}")
    if path.is_dir():
        return _folder(path, encoding)
    if not path.is_file():
        raise UnreadableError(f"{shown(path)} is no file and no folder")
    kind = kind_of(path)
    if not os.access(path, os.R_OK):
        raise UnreadableError(f"{shown(path)} may not be read by this user")
    if kind is None:
        raise UsageError(
            f"{shown(path)} is of no kind known here; there are {', '.join(KINDS)}, and folders of images."
        )
    return TableSource(name=shown(path), parts=(_part(path, kind, encoding),))


def splits_of(path: Path, encoding: str | None = None) -> dict[str, TableSource]:
    """The splits a folder holds by their names; the folder itself is the training data where it holds none."""
    inner = {}
    if path.is_dir():
        for each in sorted(path.iterdir()):
            split = SPLITS.get(each.name.partition(".")[0].lower())
            if split and (each.is_dir() or kind_of(each)):
                inner[split] = each
    if "train" not in inner:
        return {"train": opened(path, encoding)}
    return {split: opened(inner[split], encoding) for split in ("train", "val", "test") if split in inner}


def kind_of(path: Path) -> str | None:
    name = path.name.lower()
    return next((kind for ending, kind in KINDS.items() if name.endswith(ending)), None)


def _part(path: Path, kind: str, encoding: str | None = None) -> TablePart:
    if path.stat().st_size == 0:
        raise UnreadableError(f"{shown(path)} is empty: there is not even a line of column names")
    rows = None
    if kind == "Parquet":
        try:
            rows = pyarrow.parquet.read_metadata(path).num_rows
        except (pa.ArrowException, OSError) as problem:
            raise UnreadableError(
                f"{shown(path)} is no whole Parquet file: {problem} It may be cut short; copy it again."
            ) from None
    return TablePart(kind=kind, path=str(path), rows=rows, encoding=encoding or "utf8")


def _folder(path: Path, encoding: str | None) -> TableSource:
    if (path / "dataset_dict.json").is_file():
        raise UsageError(
            f"{shown(path)} holds several splits: `firstlight data {shown(path)}` reads them all, or name one of them."
        )
    files = _saved_dataset(path) or sorted(
        (each for each in path.rglob("*") if each.is_file() and kind_of(each)), key=lambda each: each.as_posix()
    )
    kinds = {kind_of(each) or "" for each in files}
    if len(kinds) > 1:
        raise UsageError(f"{shown(path)} mixes {' and '.join(sorted(kinds))}; name one file, or a folder of one kind.")
    if files:
        kind = kinds.pop()
        return TableSource(name=shown(path), parts=tuple(_part(each, kind, encoding) for each in files))
    if any(each.suffix.lower() in PICTURES for _, each in zip(range(LOOKED_AT), path.rglob("*"), strict=False)):
        return of_images(path)
    raise UsageError(f"{shown(path)} holds neither tables ({', '.join(KINDS)}) nor images.")


def of_images(path: Path) -> TableSource:
    return TableSource(
        name=shown(path),
        parts=(TablePart(kind="images", path=str(path)),),
        describes=("file", "content", "mode", "broken", "width", "height", "brightest"),
        exact_key="content",
        target="label",
        images=True,
    )


def _saved_dataset(path: Path) -> list[Path]:
    """Files of a dataset that Hugging Face `datasets` saved, in their order."""
    state = path / "state.json"
    if not state.is_file():
        return []
    try:
        listed = json.loads(state.read_text(encoding="utf-8"))["_data_files"]
        return [path / Path(each["filename"]).name for each in listed]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise UnreadableError(f"{shown(state)} does not list the files of a dataset: {problem}") from None


def _neighbours(path: Path) -> str:
    import difflib

    names = [each.name for _, each in zip(range(LOOKED_AT), path.parent.glob("*"), strict=False)]
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.6)
    return f" Did you mean {shown(path.parent / near[0])}?" if near else ""
