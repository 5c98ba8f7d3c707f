import numpy as np
import pyarrow as pa
import pytest

from firstlight.data.hashing import MISSING, Sketch, keys_of, mixed, rows_of


def test_equal_values_have_equal_keys_whatever_their_type() -> None:
    whole, fractions = keys_of(pa.array([1, 2, None])), keys_of(pa.array([1.0, 2.0, float("nan")]))

    assert whole.tolist() == fractions.tolist()
    assert whole[2] == MISSING
    assert keys_of(pa.array([0.0]))[0] == keys_of(pa.array([-0.0]))[0]
    assert (
        keys_of(pa.array(["a", "b", "a"])).tolist() == keys_of(pa.array(["a", "b", "a"]).dictionary_encode()).tolist()
    )


def test_rounding_brings_neighbours_together() -> None:
    column = pa.array([1.0001, 1.0002, 1.2])

    assert len(np.unique(keys_of(column))) == 3
    assert len(np.unique(keys_of(column, cell=0.01))) == 2


def test_nested_values_have_keys() -> None:
    keys = keys_of(pa.array([[1, 2], [1, 2], [3]]))

    assert keys[0] == keys[1] != keys[2]


def test_the_order_of_columns_counts() -> None:
    one, other = mixed(np.array([1])), mixed(np.array([2]))

    assert rows_of([one, other], 1) != rows_of([other, one], 1)


def test_a_sketch_within_its_bounds_keeps_everything() -> None:
    sketch = Sketch(100)
    keys = mixed(np.arange(50))
    sketch.add(keys, keys, np.arange(50))
    sketch.settle()

    assert sketch.whole
    assert sorted(sketch.rows.tolist()) == list(range(50))


@pytest.mark.parametrize("parts", [1, 4])
def test_a_full_sketch_keeps_all_copies_or_none_in_parts_or_at_once(parts: int) -> None:
    keys = mixed(np.repeat(np.arange(5000), 2))
    whole = Sketch(1000)
    for place in np.array_split(np.arange(len(keys)), parts):
        part = Sketch(1000)
        part.add(keys[place], keys[place], place)
        whole.merge(part)

    _, counts = np.unique(whole.keys, return_counts=True)

    assert not whole.whole
    assert set(counts.tolist()) == {2}
    assert 250 <= len(whole.keys) <= 1000
    assert whole.seen == 10000


def test_memory_is_bounded_where_every_row_is_the_same() -> None:
    sketch = Sketch(100)
    for start in range(0, 5000, 500):
        keys = np.full(500, 7, dtype=np.uint64)
        sketch.add(keys, keys, np.arange(start, start + 500))
    sketch.settle()

    assert len(sketch.keys) <= 200
