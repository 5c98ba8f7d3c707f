"""Where rows come from: parts that can be read by themselves, one after the other or on several machines."""

import gzip
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet

from firstlight.errors import UnreadableError, UsageError

BATCH_ROWS = 1 << 16
MOST_OF_A_MESSAGE = 300
MOST_OF_A_HEADER = 1 << 20
SAMPLED_LINES = 200
WIDE_MARKS = (BOM_UTF16_LE, BOM_UTF16_BE)
ARROW_FILE = b"ARROW1"
CONVERSION = re.compile(
    r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to (\w+[^:]*): invalid value '(.*)'", re.DOTALL
)
RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)
FIRST_ROW = 2
"""Arrow counts lines from 1, with that of the names; we count rows from 0."""
MOST_OF_A_LINE = 80
UNNAMED_INDEX = re.compile(r"|__index_level_\d+__|Unnamed: 0")
"""As pandas writes it to CSV and Parquet, and as it reads it back from CSV."""
NO_JSON = re.compile(r"JSON parse error: (.*?)\.? in row (\d+)")
CHANGED = re.compile(r"Column\(/(.*?)\) changed from (\w+) to (\w+) in row (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """A file, or rows that are in memory."""

    kind: str
    """One of `READERS`."""
    path: str = ""
    rows: int | None = None
    """Where they are known without reading."""
    table: Any = None
    as_text: tuple[str, ...] = ()
    """Columns of a CSV file that are read as they are written, because not all their values are numbers."""
    encoding: str = "utf8"

    def batches(self) -> Iterator[Any]:
        """Rows, some ten thousand at a time. What is wrong with the file is told as the user's mistake."""
        try:
            for read in READERS[self.kind](self):
                read.validate(full=True)  # not every reader does: texts may be no UTF-8
                batch = _flat(read)
                if batch.num_rows and batch.schema.names:
                    yield batch
        except pa.ArrowInvalid as problem:
            raise _told(self, problem) from None
        except (pa.ArrowException, OSError, EOFError, UnicodeError, LookupError) as problem:
            raise UnreadableError(f"{self.path} cannot be read as {self.kind}: {_short(problem)}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSource:
    """One split: a name to tell it by, and its parts in order."""

    name: str
    parts: tuple[TablePart, ...]
    describes: tuple[str, ...] = ()
    """Columns that describe an example and are not fed to a model."""
    exact_key: str | None = None
    """A column that is equal where examples are, in place of all columns together."""
    target: str | None = None
    """A column that is the target unless the user says otherwise."""
    images: bool = False

    def reading_as_text(self, mixed: "MixedColumnError") -> "TableSource":
        """Only where values are written as text to begin with."""
        if any(part.kind not in ("CSV", "TSV") for part in self.parts):
            raise mixed
        return replace(self, parts=tuple(replace(part, as_text=(*part.as_text, mixed.column)) for part in self.parts))


class MixedColumnError(UnreadableError):
    """A column began with numbers and holds something else: of a CSV file, it is read again as text."""

    def __init__(self, column: str, told: str = "") -> None:
        super().__init__(told)
        self.column = column


def _flat(batch: Any) -> Any:
    """Without the index of a frame, where it had no name and only numbers the rows. Lists and records that hold texts,
    such as the turns of a conversation, become one text each."""
    batch = batch.select([name for name in batch.schema.names if not UNNAMED_INDEX.fullmatch(name)])
    for place, field in enumerate(batch.schema):
        if pa.types.is_nested(field.type) and "string" in str(field.type):
            lines = [
                "\n".join(_texts(value)) if value is not None else None for value in batch.column(place).to_pylist()
            ]
            batch = batch.set_column(place, field.name, pa.array(lines, pa.string()))
    return batch


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in _texts(each))
    elif isinstance(value, list | tuple):
        yield from (text for each in value for text in _texts(each))


def _parquet(part: TablePart) -> Iterator[Any]:
    """One row group after the other: over several at once, Arrow keeps what it has read of each until the last."""
    with pyarrow.parquet.ParquetFile(part.path) as file:
        for group in range(file.num_row_groups):
            yield from file.iter_batches(batch_size=BATCH_ROWS, row_groups=[group])


def _marks(part: TablePart) -> tuple[str, str]:
    """What the first line is parted by, and what fractions begin with. Spreadsheets of many countries write semicolons
    into files named `.csv`, and numbers with a comma."""
    opened = gzip.open if part.path.endswith(".gz") else open
    with opened(part.path, "rb") as file:
        head = file.read(MOST_OF_A_HEADER)
    if head.startswith(WIDE_MARKS) and part.encoding == "utf8":
        raise UnreadableError(f"{part.path} is written in UTF-16. Name its encoding: `--encoding utf-16`.")
    if b"\0" in head and part.encoding == "utf8":
        raise UnreadableError(f"{part.path} is no text: it holds null bytes")
    text = head.decode(part.encoding, "ignore")
    separator = "\t" if part.kind == "TSV" else max(",;\t|", key=text.partition("\n")[0].count)
    fields = [field for line in text.splitlines()[1:SAMPLED_LINES] for field in line.split(separator)]
    commas, points = (sum(bool(re.fullmatch(rf"-?\d+{mark}\d+", field)) for field in fields) for mark in (",", r"\."))
    return separator, "," if commas > points else "."


def _csv(part: TablePart) -> Iterator[Any]:
    separator, point = _marks(part)
    options = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(part.as_text, pa.string()),
        strings_can_be_null=True,
        timestamp_parsers=TIMES,
        decimal_point=point,
    )
    with pyarrow.csv.open_csv(
        part.path,
        read_options=pyarrow.csv.ReadOptions(encoding=part.encoding, use_threads=False, block_size=4 << 20),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=options,
    ) as reader:
        if any(pa.types.is_binary(each.type) for each in reader.schema):
            raise pa.ArrowInvalid("invalid UTF8 data")
        check_names(reader.schema.names, part.path)
        yield from reader


TIMES = [pyarrow.csv.ISO8601, "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"]


def _json(part: TablePart) -> Iterator[Any]:
    yield from pyarrow.dataset.dataset(part.path, format="json").to_batches(batch_size=BATCH_ROWS)


def _arrow(part: TablePart) -> Iterator[Any]:
    """Files and streams, as Arrow itself and Hugging Face `datasets` write them."""
    with pa.memory_map(part.path) as mapped:
        try:
            file = pa.ipc.open_file(mapped)
        except pa.ArrowInvalid:
            mapped.seek(0)
            if mapped.read(len(ARROW_FILE)) == ARROW_FILE:
                raise  # a file that ends too early, and no stream
            mapped.seek(0)
            yield from pa.ipc.open_stream(mapped)
            return
        for place in range(file.num_record_batches):
            yield file.get_batch(place)


def _images(part: TablePart) -> Iterator[Any]:
    from firstlight.data.images import batches_of

    yield from batches_of(Path(part.path))


def _memory(part: TablePart) -> Iterator[Any]:
    yield from part.table.to_batches(max_chunksize=BATCH_ROWS)


READERS: Mapping[str, Callable[[TablePart], Iterator[Any]]] = {
    "Parquet": _parquet,
    "CSV": _csv,
    "TSV": _csv,
    "JSON lines": _json,
    "Arrow": _arrow,
    "images": _images,
    "memory": _memory,
}


def _told(part: TablePart, problem: Exception) -> Exception:
    """The library's message in words of the user's: what is wrong, where, and what to do."""
    text = str(problem)
    if (found := CONVERSION.match(text)) and "invalid UTF8" not in text:
        name = _csv_name(part, int(found[1]))
        if name not in part.as_text:
            return MixedColumnError(name)
    short = _short(problem)
    if "UTF8" in text and part.kind not in ("CSV", "TSV"):
        return UnreadableError(f"{part.path} holds texts that are not UTF-8. Write it again with texts in UTF-8.")
    if "UTF8" in text or "utf-8" in text.lower():
        return UnreadableError(
            f"{part.path} is not written in UTF-8. Name its encoding: `--encoding latin-1` or `--encoding cp1252`."
        )
    if "Empty CSV" in text or "Empty JSON" in text:
        return UnreadableError(f"{part.path} is empty: there is not even a line of column names")
    if ragged := RAGGED.search(text):
        place, columns, fields, line = ragged.groups()
        return UnreadableError(
            f"{part.path} is ragged: row {int(place) - FIRST_ROW} has {fields} values for {columns} columns: "
            f"{line[:MOST_OF_A_LINE]!r}. Quote what holds the separator, or mend that row."
        )
    if part.kind in ("Parquet", "Arrow"):
        return UnreadableError(
            f"{part.path} is no whole {part.kind} file: {short.rstrip('.')}. It may be cut short; copy it again."
        )
    return UnreadableError(_of_json(part, text) or f"{part.path} cannot be read as {part.kind}: {short}")


def _of_json(part: TablePart, text: str) -> str | None:
    if "from object to array in row 0" in text:
        return f"{part.path} is one JSON array. Write each of its objects on a line of its own."
    if changed := CHANGED.search(text):
        what = f"`{changed[1]}` changes from {changed[2]} to {changed[3]} in row {changed[4]}"
        return f"{part.path} mixes types: {what}. Write one type in each field, or null."
    broken = NO_JSON.search(text)
    return f"{part.path} holds a line that is no JSON: {broken[1]}, in row {broken[2]}" if broken else None


def _csv_name(part: TablePart, place: int) -> str:
    with pyarrow.csv.open_csv(
        part.path,
        read_options=pyarrow.csv.ReadOptions(encoding=part.encoding),
        parse_options=pyarrow.csv.ParseOptions(delimiter=_marks(part)[0]),
    ) as reader:
        return str(reader.schema.names[place])


def _short(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    return text[:MOST_OF_A_MESSAGE] + (" …" if len(text) > MOST_OF_A_MESSAGE else "")


def check_names(names: list[str], source: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise UsageError(f"{source} has several columns named `{twice[0]}`. Name each column once.")
