"""Numbers that are not finite are the most important ones we have: they must survive every trip."""

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.records import wire
from firstlight.records.facts import LossCurve
from firstlight.records.finding import Evidence, Scalar
from firstlight.records.places import Where
from firstlight.records.sighting import TensorCard
from firstlight.records.training import LossCall

NAMES = {math.inf: "Infinity", -math.inf: "-Infinity"}
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text()
plain = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def same(left: Any, right: Any) -> bool:
    """Equal, with NaN equal to NaN and a tuple equal to a list."""
    if isinstance(left, float) and isinstance(right, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[key]) for key, item in left.items())
    return bool(left == right)


def forbid(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@given(plain)
def test_what_is_written_is_strict_json(record: Any) -> None:
    json.loads(wire.encode(record), parse_constant=forbid)


@given(plain)
def test_finite_values_are_written_as_they_are(record: Any) -> None:
    if "Infinity" not in repr(record) and "inf" not in repr(record) and "nan" not in repr(record).lower():
        assert same(json.loads(wire.encode(record)), record)


@given(st.floats())
def test_a_number_comes_back(value: float) -> None:
    card = TensorCard(shape=(2,), dtype="float32", low=value, high=value)

    back = wire.decode(wire.encode(card), TensorCard)

    assert same(back.low, value)
    assert same(back.high, value)


@given(st.lists(st.floats()), st.none() | st.floats())
def test_nested_and_optional_numbers_come_back(values: list[float], lr: float | None) -> None:
    curve = LossCurve(site=None, optimizers=1, values=tuple(values), weight_norms=tuple(values), lr=lr)

    back = wire.decode(wire.encode(curve), LossCurve)

    assert same(msgspec.structs.astuple(back), msgspec.structs.astuple(curve))


@given(st.from_type(LossCall))
def test_records_within_records_come_back(call: LossCall) -> None:
    assert same(wire.to_plain(wire.convert(wire.to_plain(call), LossCall)), wire.to_plain(call))


@given(st.dictionaries(st.text(), SCALARS))
def test_the_numbers_of_evidence_come_back_by_name(numbers: dict[str, Scalar]) -> None:
    """A value that may be a number or a string stays the string that names it."""
    evidence = Evidence(where=Where(), saw="a", wanted="b", numbers=numbers)

    back = wire.decode(wire.encode(evidence), Evidence).numbers

    assert same(wire.to_plain(back), wire.to_plain(numbers))


@pytest.mark.parametrize(("value", "name"), [(math.nan, "NaN"), *NAMES.items()])
def test_the_three_names(value: float, name: str) -> None:
    assert name in wire.NON_FINITE
    assert wire.name_of(value) == name
    assert wire.encode({"x": [value]}) == b'{"x":["%s"]}' % name.encode()


@pytest.mark.parametrize("bad", ['"much"', "true", "[1.0]"])
def test_other_words_are_no_numbers(bad: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        wire.decode(f'{{"shape": [2], "dtype": "float32", "low": {bad}}}', TensorCard)


def test_unknown_fields_are_tolerated() -> None:
    card = wire.decode('{"shape": [2], "dtype": "float32", "colour": "red"}', TensorCard)

    assert card == TensorCard(shape=(2,), dtype="float32")


def test_a_missing_field_is_named() -> None:
    with pytest.raises(msgspec.ValidationError, match="dtype"):
        wire.decode('{"shape": [2]}', TensorCard)


def test_a_name_that_is_no_unicode_is_written_as_an_escape() -> None:
    name = b"train-\xff.py".decode("utf-8", "surrogateescape")
    assert wire.decode(wire.encode({"files": [name], name: 1}), dict) == {
        "files": ["train-\\udcff.py"],
        "train-\\udcff.py": 1,
    }
