"""What holds for every check, whatever its fact says."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.records.sighting import Some


@st.composite
def some(draw: st.DrawFn) -> Some:
    """Parameters are counted and the first few named: where there are any, there is a name."""
    names = tuple(draw(st.lists(st.text(), max_size=Some.MOST_NAMES)))
    more = draw(st.integers(min_value=0, max_value=10**6)) if len(names) == Some.MOST_NAMES else 0
    elements = draw(st.integers(min_value=0, max_value=10**12)) if names else 0
    return Some(tensors=len(names) + more, elements=elements, names=names)


st.register_type_strategy(Some, some())


NEEDED: set[type] = {check.needs for check in CATALOGUE} - READ_FROM_SOURCE
"""Facts of sources hold syntax trees; `source/test_any_source.py` draws those."""


@pytest.mark.parametrize("fact_type", sorted(NEEDED, key=str), ids=lambda needed: needed.__name__)
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_fact_is_judged_without_failing(fact_type: type, data: st.DataObject) -> None:
    """NaN, infinities, empty tuples and huge counts included, by every check that needs it."""
    fact = data.draw(st.from_type(fact_type))

    for check in CATALOGUE:
        if check.needs is fact_type:
            judge(check, fact)


def judge(check: Check, fact: object) -> None:
    """The same fact gives the same evidence, and evidence says something."""
    first, second = list(check.find(fact, check.limits)), list(check.find(fact, check.limits))

    assert repr(first) == repr(second), check.name
    for evidence in first:
        assert evidence.saw != evidence.wanted, check.name
        assert evidence.saw, check.name
        assert evidence.wanted, check.name
        assert evidence.cause in (None, *check.causes, getattr(fact, "cause", None)), check.name
        assert evidence.confidence is None or 0 <= evidence.confidence <= 1, check.name
