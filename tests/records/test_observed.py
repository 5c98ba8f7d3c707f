"""What the observers stream fits a line of the event log and comes back as it was."""

import json
import typing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.records import observed, wire
from firstlight.records.observed import OBSERVED
from firstlight.records.sighting import Sighting, Some

KINDS: tuple[type[Sighting], ...] = typing.get_args(OBSERVED)
VALIDATOR = jsonschema.Draft202012Validator(wire.schema_of(OBSERVED, "firstlight.observed/1"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_every_sighting_is_admitted_and_comes_back(kind: type[Sighting], data: st.DataObject) -> None:
    record = data.draw(st.from_type(kind))

    written = wire.encode(record)
    back: Any = wire.convert(json.loads(written), OBSERVED)

    VALIDATOR.validate(json.loads(written))
    assert type(back) is kind
    assert wire.encode(back) == written


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_sighting_knows_its_step_and_rank_and_is_frozen(kind: type[Sighting]) -> None:
    assert {"step", "rank"} <= set(kind.__struct_fields__)
    assert kind.__struct_config__.frozen


def test_tags_are_unique() -> None:
    tags = [kind.__struct_config__.tag for kind in KINDS]

    assert len(set(tags)) == len(tags)


def test_a_set_of_parameters_names_a_handful() -> None:
    """So that a count of a model with thousands of tensors fits one line."""
    assert Some.MOST_NAMES <= 10


def test_every_module_that_declares_a_sighting_is_named() -> None:
    """One that is not would be read back only where something else had imported it."""
    folder = Path(observed.__file__).parent
    declares = {path.stem for path in folder.glob("*.py") if "(Sighting," in path.read_text(encoding="utf-8")}
    assert declares == set(observed.MODULES.split())
