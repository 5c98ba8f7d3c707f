from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.model.attention_keeps_padding import CHECK
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.training import KeysMasked

INVERTED = KeysMasked(step=3, rank=1, site=Site(file="model.py", line=22), examples=32, kept=1, blocked=18)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(INVERTED, **changes), CHECK.limits))


def test_tells_what_is_hidden_and_where() -> None:
    (evidence,) = found()

    assert evidence.saw.startswith("the mask of 32 examples hides 18 different tokens")
    assert (evidence.where.file, evidence.where.line, evidence.where.rank) == ("model.py", 22, 1)


@pytest.mark.parametrize(("kept", "times"), [(0, 0), (1, 1), (2, 0)])
def test_what_is_shown_is_one_and_the_same(kept: int, times: int) -> None:
    assert len(found(kept=kept)) == times


@pytest.mark.parametrize(("blocked", "times"), [(1, 0), (3, 0), (4, 1)])
def test_each_side_of_blocked(blocked: int, times: int) -> None:
    assert len(found(blocked=blocked)) == times


@pytest.mark.parametrize(("examples", "times"), [(3, 0), (4, 1)])
def test_each_side_of_examples(examples: int, times: int) -> None:
    assert len(found(examples=examples)) == times
