"""Pictures of columns can be compared between splits."""

import re

from firstlight.records.tables import ColumnSeen
from firstlight.report.html.tables import HEIGHT, _picture, _values


def heights(column: ColumnSeen, trained: ColumnSeen | None) -> list[float]:
    return [float(high) for high in re.findall(r'<rect[^>]* height="([\d.]+)"', str(_picture(column, trained)))]


def test_both_splits_are_drawn_on_one_scale() -> None:
    trained = ColumnSeen(name="c", kind="text", distinct=2, counts={"u": 500, "v": 500})
    drifted = ColumnSeen(name="c", kind="text", distinct=2, counts={"u": 10, "v": 90})

    before, now = heights(drifted, trained)[:2], heights(drifted, trained)[2:]

    assert now == [round(HEIGHT / 9, 1), HEIGHT]
    assert before == [round(HEIGHT * 5 / 9, 1)] * 2


def test_a_picture_is_as_high_as_its_highest_bar_and_says_what_it_shows() -> None:
    seen = ColumnSeen(name="a", kind="number", distinct=9, bars=(1, 4, 2))

    assert max(heights(seen, None)) == HEIGHT
    assert "<title>a: rows in 3 equal parts of its range</title>" in str(_picture(seen, None))
    assert _picture(ColumnSeen(name="a", kind="other", distinct=1), None) is None


def test_values_are_named_in_the_order_of_their_bars() -> None:
    trained = ColumnSeen(name="c", kind="text", distinct=2, counts={"u": 5, "v": 4})
    seen = ColumnSeen(name="c", kind="text", distinct=3, counts={"w": 9, "v": 7, "u": 1})

    assert _values(seen, trained) == ["u", "v", "w"]
    assert _values(seen, None) == ["w", "v", "u"]
    assert _values(ColumnSeen(name="n", kind="whole", distinct=2, counts={"1": 2, "2": 2}), trained) == []
