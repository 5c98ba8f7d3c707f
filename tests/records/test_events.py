"""Every line of the event log can be written, read back, and is admitted by the published schema."""

import json
import typing
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.records import wire
from firstlight.records.events import EVENT, EVENT_SCHEMA, MOST_OF_ARGUMENTS, Step, _Event, shortened

KINDS: tuple[type[_Event], ...] = typing.get_args(EVENT)
SCHEMA = wire.schema_of(EVENT, EVENT_SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NUMBERS = st.floats() | st.integers(-(2**53), 2**53)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text()


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Like `from_type`, with plain JSON where a field may hold anything."""
    if hint == dict[str, Any]:
        return st.dictionaries(st.text(), LEAVES | st.lists(LEAVES, max_size=3), max_size=3)
    if typing.get_origin(hint) is list and typing.get_args(hint) == (dict[str, Any],):
        return st.lists(values_of(dict[str, Any]), max_size=3)
    if type(None) in typing.get_args(hint) and dict[str, Any] in typing.get_args(hint):
        return st.none() | values_of(dict[str, Any])
    return st.from_type(hint)


def lines(kind: type[_Event]) -> st.SearchStrategy[_Event]:
    return st.builds(kind, **{name: values_of(hint) for name, hint in typing.get_type_hints(kind).items()})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
def test_every_kind_of_line_is_admitted_and_comes_back(kind: type[_Event], data: st.DataObject) -> None:
    event = data.draw(lines(kind))

    line = wire.encode(event)
    back: Any = wire.convert(json.loads(line), EVENT)

    VALIDATOR.validate(json.loads(line))
    assert type(back) is kind
    assert wire.encode(back) == line


def test_tags_are_unique() -> None:
    tags = [kind.__struct_config__.tag for kind in KINDS]

    assert len(set(tags)) == len(tags)


def test_the_schema_is_a_schema_and_says_which() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == EVENT_SCHEMA


def test_a_step_with_a_nan_is_admitted_and_a_word_is_not() -> None:
    step = Step(event="step", ts="2026-01-01T00:00:00Z", run_id="r", seq=0, step=3, loss=float("nan"))
    line = json.loads(wire.encode(step))

    assert line["loss"] == "NaN"
    assert VALIDATOR.is_valid(line)
    assert not VALIDATOR.is_valid({**line, "loss": "much"})


def test_unknown_fields_are_tolerated() -> None:
    line = {"phase": "heartbeat", "event": "heartbeat", "ts": "", "run_id": "r", "seq": 0, "step": 1, "mood": "good"}

    assert VALIDATOR.is_valid(line)
    assert wire.convert(line, EVENT).step == 1


def test_unknown_kinds_are_refused_by_name() -> None:
    with pytest.raises(msgspec.ValidationError, match="telepathy"):
        wire.convert({"phase": "telepathy"}, EVENT)


@pytest.mark.parametrize("words", [(), ("train.py", "--lr", "3"), ("x" * MOST_OF_ARGUMENTS,)])
def test_a_command_line_that_fits_is_kept_whole(words: tuple[str, ...]) -> None:
    assert shortened(words) == list(words)


@pytest.mark.parametrize("words", [("a", "x" * 200_000, "b"), ("a", *["word"] * 50_000)])
def test_a_longer_one_is_cut_and_counted(words: tuple[str, ...]) -> None:
    kept = shortened(words)
    assert sum(map(len, kept)) < 2 * MOST_OF_ARGUMENTS
    assert kept[-1].startswith(f"… and {len(words) - len(kept) + 1} more, of ")
