"""`firstlight data` as it is typed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from firstlight.cli.main import run
from firstlight.report.formats import RENDERERS

DRAW = np.random.default_rng(6)


@pytest.fixture(autouse=True)
def _tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = DRAW.normal(size=(2, 500))
    table = pa.table({"a": a, "b": b, "y": (a + b > 0).astype(int)})
    pq.write_table(table[:400], "train.parquet")
    pq.write_table(table[400:], "val.parquet")
    pq.write_table(table[350:], "leaky.parquet")


def said(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    assert run(["data", *words]) == code
    out, err = capsys.readouterr()
    return out + err


def test_clean_data_end_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, 0, "train.parquet", "--val", "val.parquet", "--target", "y")

    assert told.startswith("clean: nothing found; train.parquet: 400 rows × 3 columns; val.parquet: 100 rows")


def test_a_leak_ends_with_one_and_names_file_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, 1, "train.parquet", "--val", "leaky.parquet", "--target", "y")

    assert told.startswith("leaky.parquet: error[FL1014] splits-share-rows: ")
    assert "33.33% of its rows also occur in train.parquet" in told
    assert "row 0 of val and row 350 of train" in " ".join(told.split())


def test_what_is_not_judged_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, 0, "train.parquet", "--target", "y")

    assert "unsaid  no other split was given" in told


def test_a_schema_is_written_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, 0, "profile", "train.parquet", "-o", "schema.toml")
    assert "[columns.a]" in Path("schema.toml").read_text(encoding="utf-8")
    pq.write_table(pa.table({"a": ["x"] * 300}), "new.parquet")

    told = said(capsys, 1, "new.parquet", "--schema", "schema.toml")

    assert "new.parquet: column `a`: error[FL1018] schema-broken" in told
    assert "no `b`, `y` among its columns" in " ".join(told.split())


@pytest.mark.parametrize("form", [form for form in RENDERERS if form != "terminal"])
def test_every_format_tells_the_leak(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "FL1014" in said(capsys, 1, "train.parquet", "--val", "leaky.parquet", "--format", form)


def test_the_page_has_a_picture_of_each_column(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, 0, "train.parquet", "--target", "y", "--format", "html")

    assert "train: train.parquet" in page
    assert page.count("<rect") >= 2 * 20
    assert "<title>a: rows in 24 equal parts of its range</title>" in page


def test_json_is_the_report_alone(capsys: pytest.CaptureFixture[str]) -> None:
    report: dict[str, Any] = json.loads(said(capsys, 0, "train.parquet", "--format", "json"))

    assert report["subject"]["kind"] == "tables"
    assert [column["name"] for column in report["tables"][0]["columns"]] == ["a", "b", "y"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no data was named"),
        (("train.parquet", "val.parquet"), "several datasets were named"),
        (("trian.parquet",), "Did you mean train.parquet?"),
        (("train.parquet", "--target", "z"), "has no column `z`, named as target"),
        (("train.parquet", "--schema", "nowhere.toml"), "nowhere.toml"),
        (("train.parquet", "--engine", "cloud"), "cloud"),
        (("train.parquet", "--select", "loss"), "is no check"),
    ],
)
def test_what_cannot_be_done_ends_with_two(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in said(capsys, 2, *words)


def test_an_absent_engine_is_told_with_the_command_that_brings_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    assert "`pip install 'firstlight[data]'`" in said(capsys, 2, "train.parquet")
