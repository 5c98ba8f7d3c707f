import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.trends import trend
from firstlight.records.curves import Curve


def curve(*values: float) -> Curve:
    return Curve(name="loss", steps=tuple(range(len(values))), values=values)


def test_nothing_finite_has_no_trend() -> None:
    assert trend(curve(math.nan, math.inf)) is None
    assert trend(curve()) is None


def test_a_falling_curve() -> None:
    shape = trend(curve(*(10.0 - 0.1 * at for at in range(100))))
    assert shape is not None
    assert shape.lost == pytest.approx(0.93, abs=0.02)
    assert list(shape.quarters) == sorted(shape.quarters, reverse=True)
    assert shape.turns == 0
    assert shape.lowest_at == 1.0


def test_one_spike_is_a_spike_and_no_trend() -> None:
    shape = trend(curve(*(50.0 if at == 40 else 1.0 for at in range(100))))
    assert shape is not None
    assert shape.spikes == 1
    assert shape.lost == 0.0


def test_a_lasting_rise_is_no_spike() -> None:
    shape = trend(curve(*([1.0] * 50), *([50.0] * 50)))
    assert shape is not None
    assert shape.spikes <= 1
    assert shape.quarters == (1.0, 1.0, 50.0, 50.0)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=900))
def test_any_curve_has_a_shape_within_its_own_values(values: list[float]) -> None:
    shape = trend(curve(*values))
    finite = [value for value in values if math.isfinite(value)]
    assert (shape is None) == (not finite)
    if shape is not None:
        assert shape.points == len(finite)
        assert min(finite) <= shape.lowest <= max(finite)
