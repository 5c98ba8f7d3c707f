"""What good data are like is written down, and later data are held to it."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
import sklearn.datasets
from PIL import Image

from firstlight.data import schemas
from firstlight.data.asking import check_data
from firstlight.data.holding import _relation
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
        "column `place`: 'elsewhere' (rows 1, 3, 5, 7, 9); wanted only here, there, as in schema.toml"
    ]
    assert "no `place` among its columns" in broken({key: prices()[key] for key in ("low", "high")})[0]
    assert "`text`, such as 'cheap' in row 0; wanted `number`" in broken(prices() | {"low": ["cheap"] * 400})[0]
    assert "25.00% of its values missing (rows 0, 4, 8, 12, 16); wanted at most 0.00%" in " ".join(
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


EVEN = np.arange(400.0)


@pytest.mark.parametrize(
    ("apart", "sign"),
    [
        (np.abs(EVEN - 200), "<="),  # down to zero
        (60 + EVEN / 8, "<="),  # well away from it
        (30 + EVEN, None),  # thinning out towards it
        (np.zeros(400), "=="),
    ],
)
def test_a_relation_stops_at_zero_or_keeps_away_from_it(apart: Any, sign: str | None) -> None:
    one = 100 * np.sin(EVEN)

    assert _relation(one, one + apart) == sign
    assert _relation(one + apart, one) == {"<=": ">="}.get(str(sign), sign)


@pytest.mark.parametrize(("crossing", "sign"), [(20, "<="), (19, None)])
def test_a_relation_that_would_hold_by_chance_is_none(crossing: int, sign: str | None) -> None:
    """Only the rows of one column that are above zero could be above the other, which is zero or as large."""
    one = np.where(crossing > EVEN, 5.0, 0.0)

    assert _relation(one, one) == "=="
    assert _relation(one, one + (EVEN % 2) * (EVEN >= 200) * 1e-9) == sign


@pytest.mark.parametrize(
    ("low", "usual", "rows", "below"),
    [
        (-10.0, -10.0, 1_000_000, -12.0),  # a tenth of the range
        (-10.0, -10.0, 400, -20.0),  # few rows
        (-10.0, -4.0, 1_000_000, -22.0),  # a long tail
        (2.0, 9.0, 400, 0.0),  # what was never negative
    ],
)
def test_a_range_is_wider_for_few_rows_and_long_tails(low: float, usual: float, rows: int, below: float) -> None:
    assert schemas.widened(low, 10.0, "number", (usual, 10.0), rows)[0] == below


@pytest.mark.parametrize("name", ["diabetes", "iris", "wine"])
def test_the_other_half_of_a_real_table_keeps_the_schema_of_the_first(name: str) -> None:
    frame = getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame.sample(frac=1, random_state=0)
    half = len(frame) // 2
    Path("schema.toml").write_text(profile(source_of(frame[:half], "good"), "local"), encoding="utf-8")

    assert check_data(frame[half:], schema="schema.toml", select=["schema-broken"]).findings == ()


def test_shades_of_single_places_are_no_part_of_a_schema(folder: Path) -> None:
    for place in range(3):
        Image.fromarray(np.full((8, 8), 90 * place, dtype=np.uint8)).save(f"{place}.png")
    text = profile(source_of(folder, "good"), "local")

    assert "[columns.width]" in text
    assert "grey_" not in text
