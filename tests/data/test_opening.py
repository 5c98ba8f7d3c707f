"""Every kind of file gives the same rows, and what cannot be read is told in the user's words."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from firstlight.data.opening import opened, splits_of
from firstlight.data.summary import TableLayout, head_of, in_this_process
from firstlight.errors import UnreadableError, UsageError


def csv(table: Any, path: str) -> None:
    pyarrow.csv.write_csv(table, path)


def compressed(table: Any, path: str) -> None:
    csv(table, "plain.csv")
    Path(path).write_bytes(gzip.compress(Path("plain.csv").read_bytes()))


def lines(table: Any, path: str) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), encoding="utf-8")


def stream(table: Any, path: str) -> None:
    with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[Any, str], None]] = {
    "t.parquet": pq.write_table,
    "t.csv": csv,
    "t.csv.gz": compressed,
    "t.jsonl": lines,
    "t.feather": pyarrow.feather.write_feather,
    "t.arrow": stream,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_rows(name: str, table: Any, folder: Path) -> None:
    WRITERS[name](table, name)

    read = head_of(opened(Path(name)))

    assert read.schema.names == ["a", "b", "kind", "y"]
    assert read["a"].to_pylist() == pytest.approx(table["a"].to_pylist())
    assert read["y"].to_pylist() == table["y"].to_pylist()


def test_a_folder_of_files_is_one_table_in_the_order_of_names(table: Any, folder: Path) -> None:
    (folder / "parts").mkdir()
    pq.write_table(table[500:], "parts/b.parquet")
    pq.write_table(table[:500], "parts/a.parquet")

    source = opened(Path("parts"))

    assert [part.rows for part in source.parts] == [500, 500]
    assert head_of(source)["a"].to_pylist() == table["a"].to_pylist()


def test_a_saved_hugging_face_dataset_and_its_splits(table: Any, folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    both = {"train": datasets.Dataset(table[:800]), "test": datasets.Dataset(table[800:])}
    datasets.DatasetDict(both).save_to_disk("saved")

    found = splits_of(Path("saved"))

    assert list(found) == ["train", "test"]
    assert head_of(found["test"]).num_rows == 200
    with pytest.raises(UsageError, match="holds several splits"):
        opened(Path("saved"))


def test_files_named_after_splits_are_splits(table: Any, folder: Path) -> None:
    pq.write_table(table[:800], "train.parquet")
    pq.write_table(table[800:], "validation.parquet")

    assert list(splits_of(Path())) == ["train", "val"]


def unreadable(path: str) -> str:
    with pytest.raises((UnreadableError, UsageError)) as problem:
        in_this_process(opened(Path(path)), TableLayout())
    return str(problem.value)


class TestBadInput:
    def test_truncated_parquet(self, table: Any, folder: Path) -> None:
        pq.write_table(table, "t.parquet")
        whole = Path("t.parquet").read_bytes()
        Path("t.parquet").write_bytes(whole[: len(whole) // 2])

        assert "t.parquet is no whole Parquet file" in unreadable("t.parquet")
        assert "copy it again" in unreadable("t.parquet")

    def test_truncated_arrow(self, table: Any, folder: Path) -> None:
        pyarrow.feather.write_feather(table, "t.feather")
        whole = Path("t.feather").read_bytes()
        Path("t.feather").write_bytes(whole[: len(whole) // 2])

        assert "t.feather is no whole Arrow file: Not an Arrow file. It may be cut short" in unreadable("t.feather")

    def test_bytes_that_are_no_text(self, folder: Path) -> None:
        Path("t.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))

        assert "t.csv is no text" in unreadable("t.csv")

    def test_parquet_with_damage_inside(self, table: Any, folder: Path) -> None:
        pq.write_table(table, "t.parquet", compression="gzip")
        whole = bytearray(Path("t.parquet").read_bytes())
        whole[200:4000] = b"\x00" * 3800
        Path("t.parquet").write_bytes(bytes(whole))

        assert "t.parquet" in unreadable("t.parquet")

    def test_ragged_csv(self, folder: Path) -> None:
        Path("t.csv").write_text("a,b\n1,2\n3,4,5\n", encoding="utf-8")

        said = unreadable("t.csv")

        assert "t.csv is ragged" in said
        assert "row 1 has 3 values for 2 columns: '3,4,5'" in said

    def test_wrong_encoding_and_the_right_one(self, folder: Path) -> None:
        Path("t.csv").write_bytes("name,n\ncafé,1\n".encode("latin-1"))

        assert "is not written in UTF-8" in unreadable("t.csv")
        assert "--encoding latin-1" in unreadable("t.csv")
        assert head_of(opened(Path("t.csv"), "latin-1"))["name"].to_pylist() == ["café"]

    @pytest.mark.parametrize("line", [b'{"a": "caf\xe9"}\n', b'{"caf\xe9": 1}\n'])
    def test_json_lines_that_are_not_utf8(self, line: bytes, folder: Path) -> None:
        Path("t.jsonl").write_bytes(line)

        assert "utf-8" in unreadable("t.jsonl").lower()

    def test_an_encoding_that_does_not_exist(self, folder: Path) -> None:
        Path("t.csv").write_text("a\n1\n", encoding="utf-8")

        with pytest.raises(UnreadableError, match="latin-17"):
            head_of(opened(Path("t.csv"), "latin-17"))

    @pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl", "t.arrow"])
    def test_empty_files(self, name: str, folder: Path) -> None:
        Path(name).write_bytes(b"")

        assert "is empty" in unreadable(name)

    def test_a_header_and_no_rows(self, folder: Path) -> None:
        Path("t.csv").write_text("a,b\n", encoding="utf-8")

        assert "t.csv holds no rows" in unreadable("t.csv")

    def test_json_lines_of_several_types(self, folder: Path) -> None:
        Path("t.jsonl").write_text('{"a": 1}\n{"a": "one"}\n', encoding="utf-8")

        assert "mixes types: `a` changes from number to string in row 1" in unreadable("t.jsonl")

    def test_no_table_at_all(self, folder: Path) -> None:
        Path("t.parquet").write_text("hello", encoding="utf-8")
        Path("t.arrow").write_text("hello", encoding="utf-8")
        Path("t.xls").write_text("hello", encoding="utf-8")
        (folder / "nothing").mkdir()

        assert "no whole Parquet file" in unreadable("t.parquet")
        assert "no whole Arrow file" in unreadable("t.arrow")
        assert "of no kind known here" in unreadable("t.xls")
        assert "holds neither tables" in unreadable("nothing")

    def test_a_file_that_is_not_there(self, folder: Path) -> None:
        Path("train.csv").write_text("a\n1\n", encoding="utf-8")

        assert "Did you mean train.csv?" in unreadable("trian.csv")

    def test_a_folder_of_several_kinds(self, table: Any, folder: Path) -> None:
        (folder / "mixed").mkdir()
        pq.write_table(table, "mixed/a.parquet")
        csv(table, "mixed/b.csv")

        assert "mixes CSV and Parquet" in unreadable("mixed")


def test_a_parquet_file_of_many_row_groups_is_never_held_as_a_whole(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).normal(size=400_000)
    pq.write_table(pa.table({"x": numbers}), tmp_path / "t.parquet", row_group_size=20_000)
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in opened(tmp_path / "t.parquet").parts[0].batches()]
    assert max(held) < numbers.nbytes / 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n-2,25;y\n", [1.5, -2.25]),
        ("a;b\n1.5;1,2\n2.5;y\n3.5;z\n", [1.5, 2.5, 3.5]),
        ("a,b\n1.5,x\n2.5,y\n", [1.5, 2.5]),
        ("a,b\n1,5\n2,25\n", [1, 2]),
    ],
)
def test_fractions_begin_as_they_do_in_most_values(text: str, expected: list[float], folder: Path) -> None:
    Path("t.csv").write_text(text, encoding="utf-8")

    assert head_of(opened(Path("t.csv")))["a"].to_pylist() == expected


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_index_without_a_name_is_no_column(ending: str, folder: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[7, 5, 9])
    frame.to_csv("t.csv")
    frame.to_parquet("t.parquet")

    assert head_of(opened(Path(f"t.{ending}"))).schema.names == ["a"]
