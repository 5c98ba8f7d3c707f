import math

from hypothesis import given
from hypothesis import strategies as st

from firstlight.facts.chronicle.thinning import MOST_BROKEN, MOST_CELLS, Columns, Thinned

VALUES = st.lists(st.floats(), min_size=1, max_size=600)


@given(VALUES, st.integers(4, 40))
def test_ends_and_extremes_survive_and_nothing_is_made_up(values: list[float], most: int) -> None:
    thinned = Thinned(most)
    for x, y in enumerate(values):
        thinned.add(x, y)
    kept = thinned.points
    assert all(repr(y) == repr(values[int(x)]) for x, y in kept)
    assert [kept[0][0], kept[-1][0]] == [0, len(values) - 1]
    assert [x for x, _ in kept] == sorted({x for x, _ in kept})
    finite = [y for y in values if math.isfinite(y)]
    if finite:
        seen = [y for _, y in kept if math.isfinite(y)]
        assert (min(seen), max(seen)) == (min(finite), max(finite))
    assert any(not math.isfinite(y) for _, y in kept) == any(not math.isfinite(y) for y in values)


def test_a_long_run_stays_small_and_the_one_spike_is_there() -> None:
    thinned = Thinned(200)
    for x in range(200_000):
        thinned.add(x, 1e6 if x == 65_432 else math.sin(x))
    assert len(thinned.points) <= 200 + 2 * MOST_BROKEN + 2
    assert (65_432, 1e6) in thinned.points


def test_a_long_stretch_of_nan_keeps_its_two_ends() -> None:
    thinned = Thinned(100)
    for x in range(5000):
        thinned.add(x, 1.0 if x < 10 else math.nan)
    broken = [x for x, y in thinned.points if math.isnan(y)]
    assert broken[0] <= 13
    assert broken[-1] == 4999


def test_columns_keep_their_rows_and_drop_every_other_step() -> None:
    columns = Columns(most_steps=10, most_rows=2)
    for step in range(1000):
        for row in "abc":
            columns.add(step, row, float(step))
    assert columns.rows == ["a", "b"]
    assert columns.left_out == {"c"}
    assert 1 < len(columns.steps) <= 10
    assert all(values == {"a": step, "b": step} for step, values in columns.steps)


def test_many_rows_leave_fewer_columns() -> None:
    columns = Columns()
    for step in range(96):
        for row in range(150):
            columns.add(step, f"layer {row}", 1.0)
    assert len(columns.rows) * len(columns.steps) <= MOST_CELLS
