"""`fl.validate_schema` on real frames of every kind it accepts."""

import datetime
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import firstlight as fl
from firstlight.errors import FirstlightError, UsageError

COLUMNS: dict[str, list[Any]] = {"open": [1.0, 2.0, None], "close": [1, 2, 3], "volume": [1, 5, 3]}
MAKERS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "lists": lambda: COLUMNS,
    "arrays": lambda: {name: np.array(values, dtype=float) for name, values in COLUMNS.items()},
    "tensors": lambda: {"open": torch.tensor([1.0, 2.0, float("nan")]), "close": torch.arange(3), "volume": [1, 5, 3]},
}
every_kind = pytest.mark.parametrize("kind", MAKERS)


@every_kind
def test_a_frame_with_all_columns_comes_back_itself(kind: str) -> None:
    frame = MAKERS[kind]()

    assert fl.validate_schema(frame, ["volume", "open"], stage="raw") is frame


@every_kind
def test_what_is_missing_is_told_with_the_nearest_name(kind: str) -> None:
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(MAKERS[kind](), ["open", "closed", "rsi"], stage="features")

    error = caught.value
    assert (error.stage, error.missing, error.nearest) == ("features", ("closed", "rsi"), {"closed": "close"})
    assert error.available == ("close", "open", "volume")
    assert error.shape == (0 if kind == "lazy" else 3, 3)
    assert str(error).startswith(
        "features: required columns are missing: 2\n  missing    `closed` (nearest: `close`), `rsi`"
    )
    assert "test_schema.py:" in str(error)


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow", "lists", "arrays"])
def test_a_column_is_held_against_another_row_by_row(kind: str) -> None:
    frame = MAKERS[kind]()
    fl.validate_schema(frame, {"open": fl.Column(high="close"), "volume": fl.Column(low="close")}, stage="raw")

    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(frame, {"close": fl.Column(low="volume"), "open": fl.Column(low="rsi")}, stage="raw")

    assert caught.value.faults == (
        "`close` is below `volume` in 1 of 3 rows",
        "`open` is not to be below `rsi`, and there is no such column",
    )


def test_columns_that_cannot_be_compared_are_told() -> None:
    mixed = pd.DataFrame({"one": [1.0, 2.0], "two": ["a", None]})

    with pytest.raises(fl.SchemaError, match="cannot be compared with `two`"):
        fl.validate_schema(mixed, {"one": fl.Column(high="two")}, stage="raw")


@every_kind
def test_types_ranges_and_order_are_judged_alike(kind: str) -> None:
    rules = {
        "open": fl.Column(dtype="number", nullable=False, low=1.5),
        "volume": fl.Column(high=4, rising=True, allowed={1.0, 5.0}),
    }
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(MAKERS[kind](), rules, stage="raw")

    told = [fault.replace(".0", "") for fault in caught.value.faults]
    assert told == [
        "`open` has 1 missing values of 3",
        "`open` goes down to 1, below 1.5",
        "`volume` goes up to 5, above 4",
        "`volume` holds 3, which is not allowed",
        "`volume` falls somewhere from one row to the next",
    ]


@pytest.mark.parametrize(
    ("values", "kind", "fits"),
    [
        ([1.0], "float", True),
        ([1], "float", False),
        ([1], int, True),
        ([True], int, False),
        ([1], "number", True),
        (["a"], str, True),
        (["a"], "number", False),
        ([True], bool, True),
        ([pd.Timestamp("2024-01-01")], "time", True),
        ([1], "time", False),
    ],
)
def test_kinds_of_columns(values: list[Any], kind: Any, fits: bool) -> None:
    for frame in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values})):
        if fits:
            fl.validate_schema(frame, {"x": kind}, stage="raw")
        else:
            with pytest.raises(fl.SchemaError, match="`x` is "):
                fl.validate_schema(frame, {"x": kind}, stage="raw")


def test_an_index_counts_as_a_column() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index([3, 1], name="time"))

    fl.validate_schema(frame, ["time", "x"], stage="raw")
    with pytest.raises(fl.SchemaError, match="`time` falls") as caught:
        fl.validate_schema(frame, {"time": fl.Column(rising=True)}, stage="raw")

    assert caught.value.index == ("time",)
    assert "index time" in str(caught.value)


def test_columns_taken_by_position_are_held_to_their_order() -> None:
    frame = pd.DataFrame({"b": [1], "a": [2]})

    fl.validate_schema(frame, ["b", "a"], stage="raw", ordered=True)
    with pytest.raises(fl.SchemaError, match="`b` stands where `a` is expected"):
        fl.validate_schema(frame, ["a", "b"], stage="raw", ordered=True)


def test_repeated_values_and_repeated_names() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])

    with pytest.raises(fl.SchemaError, match="`x` occurs 2 times"):
        fl.validate_schema(twice, {"x": "int"}, stage="raw")
    with pytest.raises(fl.SchemaError, match="`x` repeats 1 values"):
        fl.validate_schema({"x": [1, 1, 2]}, {"x": fl.Column(unique=True)}, stage="raw")


def test_a_preset_names_its_columns() -> None:
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(pd.DataFrame(COLUMNS), "ohlcv", stage="raw")

    assert caught.value.missing == ("high", "low")


def test_a_pandera_schema_is_accepted() -> None:
    import pandera.pandas as pandera

    schema = pandera.DataFrameSchema(
        {"open": pandera.Column(float, pandera.Check.ge(1.5)), "closed": pandera.Column(int)}
    )
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(pd.DataFrame({"open": [1.0, 2.0], "close": [1, 2]}), schema, stage="raw")

    assert caught.value.missing == ("closed",)
    assert caught.value.faults == ("`open` fails greater_than_or_equal_to(1.5) with 1.0",)


@pytest.mark.parametrize(
    ("frame", "required", "words"),
    [
        (3, ["x"], "a int is no data frame"),
        ({"x": [1], "y": [1, 2]}, ["x"], "differ in length"),
        ({"x": [1]}, "x", "no preset"),
        ({"x": [1]}, {"x": "complex"}, "no type known here"),
        ({"x": [1]}, {"x": dict}, "no type known here"),
        ({"x": [1]}, None, "what is required is None; it takes a list of names"),
        ({"x": [1]}, 3, "what is required is 3; it takes a list of names"),
        ({"x": [1]}, [fl.Column()], "it takes a list of names"),
        ({"x": 3}, ["x"], "`x` of the dictionary is a int, not an array"),
        ({"x": "abc"}, ["x"], "`x` of the dictionary is a str, not an array"),
        ({"x": torch.tensor(1.0)}, {"x": float}, "`x` of the dictionary is a Tensor, not an array"),
        ({"x": float}, pd.DataFrame({"x": [1]}), "The frame comes first"),
        ({"x": float}, pa.table({"x": [1]}), "The frame comes first"),
    ],
)
def test_misuse_is_told_apart_from_bad_data(frame: Any, required: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        fl.validate_schema(frame, required, stage="raw")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"low": [0]}, "of a Column is .0.; it takes a number, a date or the name of another column"),
        ({"high": True}, "`high` of a Column is True; it takes a number"),
        ({"low": float("nan")}, "`low` of a Column is nan; it takes a number"),
        ({"low": 5, "high": 1}, "`low` of a Column is 5, above its `high` of 1"),
        ({"low": 5, "high": datetime.date(2024, 1, 1)}, "both as numbers or both as dates"),
        ({"rising": "yes"}, "`rising` of a Column is 'yes'; it takes True or False"),
        ({"nullable": 0}, "`nullable` of a Column is 0"),
        ({"allowed": "ab"}, "`allowed` of a Column is 'ab'; it takes a set or a list"),
    ],
)
def test_a_column_that_asks_for_nonsense_is_refused_where_it_is_written(rule: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        fl.Column(**rule)


def test_a_stage_is_a_text() -> None:
    with pytest.raises(UsageError, match="stage=3"):
        fl.validate_schema({"x": [1]}, ["x"], stage=3)  # type: ignore[arg-type]  # the mistake under test


def test_values_that_cannot_be_held_to_the_bounds_are_bad_data() -> None:
    for frame in (pd.DataFrame({"x": ["a"]}), pl.DataFrame({"x": ["a"]}), {"x": ["a"]}):
        with pytest.raises(fl.SchemaError, match="`x` is string, whose values cannot be compared"):
            fl.validate_schema(frame, {"x": fl.Column(low=0)}, stage="raw")


@pytest.mark.parametrize(
    "dtype",
    ["float32", np.float32, np.dtype("float32"), pd.Float32Dtype(), pl.Float32, pl.Float32(), torch.float32],
    ids=str,
)
def test_a_type_of_a_size_is_understood_however_it_is_spelled(dtype: Any) -> None:
    for frame in (
        pd.DataFrame({"x": np.zeros(2, np.float32), "y": np.zeros(2)}),
        pl.DataFrame({"x": np.zeros(2, np.float32), "y": np.zeros(2)}),
        {"x": torch.zeros(2), "y": torch.zeros(2, dtype=torch.float64)},
    ):
        fl.validate_schema(frame, {"x": dtype}, stage="raw")
        with pytest.raises(fl.SchemaError, match="`y` is float64, not float32"):
            fl.validate_schema(frame, {"y": dtype}, stage="raw")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (pd.Series(pd.to_datetime(["2024-01-01"])), "datetime64[ns]"),
        (pd.Series(["a"], dtype="category"), "category"),
        (pd.Series([1], dtype="Int64"), pd.Int64Dtype()),
        (pd.Series([1]), np.integer),
        (pd.Series([True]), np.bool_),
        (pl.Series(["a"]), pl.Utf8),
        (pl.Series([datetime.datetime(2024, 1, 1)]), pl.Datetime("ns")),
    ],
)
def test_other_usual_spellings(values: Any, dtype: Any) -> None:
    frame = pl.DataFrame({"x": values}) if isinstance(values, pl.Series) else pd.DataFrame({"x": values})

    assert fl.validate_schema(frame, {"x": dtype}, stage="raw") is frame
    with pytest.raises(fl.SchemaError, match="not float16"):
        fl.validate_schema(frame, {"x": "float16"}, stage="raw")


def test_tensors_in_training_and_in_half_precision_are_looked_at() -> None:
    frame = {"grad": torch.ones(3, requires_grad=True), "half": torch.ones(3).bfloat16(), "np": np.ones(3, np.float16)}

    rules = {"grad": fl.Column(low=0), "half": fl.Column(dtype=torch.bfloat16, low=0), "np": fl.Column(dtype="float16")}
    assert fl.validate_schema(frame, rules, stage="raw") is frame
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(frame, dict.fromkeys(frame, fl.Column(dtype=float, high=0)), stage="raw")
    assert [fault.partition(" ")[0] for fault in caught.value.faults] == ["`grad`", "`half`", "`np`"]


@given(st.lists(st.text(max_size=8), max_size=12), st.lists(st.text(max_size=8), max_size=5))
def test_any_names_pass_or_are_told(here: list[str], required: list[str]) -> None:
    frame = {name: [0] for name in here}
    lacking = tuple(dict.fromkeys(name for name in required if name not in frame))
    if not lacking:
        assert fl.validate_schema(frame, required, stage="any", least_rows=0) is frame
        return
    with pytest.raises(fl.SchemaError) as caught:
        fl.validate_schema(frame, required, stage="any")
    assert caught.value.missing == lacking
    assert isinstance(caught.value, FirstlightError)
    assert isinstance(caught.value, ValueError)


def test_the_package_offers_its_names_and_imports_none_of_them() -> None:
    code = (
        "import sys, firstlight; print(sorted(m for m in sys.modules if m.startswith('firstlight')), dir(firstlight))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("['firstlight'] ")
    assert "'validate_schema'" in done.stdout
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fl.nothing  # noqa: B018 (the look-up is the test)


@pytest.mark.parametrize(("least", "fails"), [(0, False), (1, True)])
def test_an_empty_frame_passes_only_where_that_is_allowed(least: int, fails: bool) -> None:
    empty = pd.DataFrame(COLUMNS).head(0)
    if fails:
        with pytest.raises(fl.SchemaError, match="it has 0 rows; at least 1 are needed"):
            fl.validate_schema(empty, ["open"], stage="raw", least_rows=least)
    else:
        assert fl.validate_schema(empty, ["open"], stage="raw", least_rows=least) is empty


@pytest.mark.parametrize(
    "wrong", [{"stage": " "}, {"stage": "raw", "least_rows": -1}, {"stage": "raw", "least_rows": True}]
)
def test_arguments_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        fl.validate_schema(COLUMNS, ["open"], **wrong)


def test_a_misspelt_keyword_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"Column takes no `nulable`\. Was `nullable` meant"):
        fl.Column(nulable=True)  # type: ignore[call-arg]
