"""What good data are like is written down, and later data are held to it."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

from firstlight.data import schemas
from firstlight.data.asking import check_data
from firstlight.data.judging import profile
from firstlight.data.objects import source_of
from firstlight.errors import UsageError
from firstlight.records.report import Report

DRAW = np.random.default_rng(2)


def prices(rows: int = 400) -> dict[str, Any]:
    low = DRAW.random(rows) * 10
    return {"low": low, "high": low + DRAW.random(rows) * 5, "place": DRAW.choice(["here", "there"], rows)}


def held(columns: dict[str, Any]) -> Report:
    Path("schema.toml").write_text(profile(source_of(prices(), "good"), "local"), encoding="utf-8")
    return check_data(columns, schema="schema.toml")


def broken(columns: dict[str, Any]) -> list[str]:
    found = [finding for finding in held(columns).findings if finding.name == "schema-broken"]
    return [f"{finding.where.module}: {finding.saw}; wanted {finding.wanted}" for finding in found]


@pytest.fixture(autouse=True)
def _here(folder: Path) -> None:
    """Schemas are written to the working directory."""


def test_a_profile_says_what_holds_in_every_row() -> None:
    schema = msgspec.convert(tomllib.loads(profile(source_of(prices(), "good"), "local")), schemas.Schema)

    assert schema.rows == 200
    assert schema.rules == ("low <= high",)
    assert schema.columns["place"].allowed == ("here", "there")
    assert schema.columns["low"].low == 0.0
    assert schema.columns["low"].kind == "number"
    assert schema.columns["low"].missing == 0.0


def test_more_of_the_same_data_keep_it() -> None:
    assert broken(prices()) == []


def test_each_kind_of_breach_is_told() -> None:
    swapped = prices()
    swapped["low"], swapped["high"] = swapped["high"], swapped["low"]
    assert any("wanted `low <= high`, as in schema.toml" in told for told in broken(swapped))

    assert broken(prices() | {"place": ["here", "elsewhere"] * 200}) == [
        "column `place`: elsewhere; wanted only here, there, as in schema.toml"
    ]
    assert "no `place` among its columns" in broken({key: prices()[key] for key in ("low", "high")})[0]
    assert "`text`, such as 'cheap' in row 0; wanted `number`" in broken(prices() | {"low": ["cheap"] * 400})[0]
    assert "25.00% of its values missing; wanted at most 0.00%" in " ".join(
        broken(prices() | {"low": [None, 1.0, 1.0, 1.0] * 100})
    )
    assert "up to 99 (rows 0, 1, 2, 3, 4); wanted not above" in broken(prices() | {"high": [99.0] * 400})[0]


def test_a_small_table_is_told() -> None:
    assert "99 rows; wanted at least 200" in broken(prices(99))[0]


def test_whole_numbers_are_numbers() -> None:
    assert broken(prices() | {"high": [14] * 400}) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rows = [", "is no schema"),
        ("colums = {}", "unknown field"),
        ('rules = ["high"]', "compares no two columns"),
        ('rules = ["high >= lo"]\n[columns.high]\n', "names `lo`, which is no column"),
        ('[columns.a]\nkind = "float"', "is to be `float`; the kinds are"),
        ("[columns.a]\nlow = 'x'", "Expected `float | null`"),
    ],
)
def test_a_schema_that_is_none_is_told(text: str, said: str) -> None:
    Path("schema.toml").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said.replace("|", r"\|")):
        schemas.read(Path("schema.toml"))


def test_odd_names_survive() -> None:
    odd = 'a "quoted" näme = [x]\n'
    schema = schemas.Schema(columns={odd: schemas.ColumnRule(allowed=("\x7f", "é"))}, rules=("a >= b",))
    read = msgspec.convert(tomllib.loads(schemas.written(schema, "s")), schemas.Schema)

    assert read == schema


def test_splits_are_held_to_the_training_data() -> None:
    train = pa.table(prices())
    report = check_data(train, test=train.drop_columns(["place"]))

    assert "no `place` among its columns" in next(f.saw for f in report.findings if f.name == "schema-broken")
