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


OBSERVED = [check for check in CATALOGUE if check.needs not in READ_FROM_SOURCE]
"""Facts of sources hold syntax trees; `source/test_any_source.py` draws those."""


@pytest.mark.parametrize("check", OBSERVED, ids=lambda check: check.name)
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_fact_is_judged_without_failing(check: Check, data: st.DataObject) -> None:
    """NaN, infinities, empty tuples and huge counts included; and the same fact gives the same evidence."""
    fact = data.draw(st.from_type(check.needs))

    first, second = list(check.find(fact, check.limits)), list(check.find(fact, check.limits))

    assert repr(first) == repr(second)
    for evidence in first:
        assert evidence.saw != evidence.wanted
        assert evidence.saw
        assert evidence.wanted
        assert evidence.cause in (None, *check.causes)
        assert evidence.confidence is None or 0 <= evidence.confidence <= 1
