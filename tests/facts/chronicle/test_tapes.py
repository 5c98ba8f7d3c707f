from typing import Any

from firstlight.facts.chronicle.gathering import gather
from firstlight.records.taped import TapeRow, TapeSeen
from firstlight.records.wire import to_plain

ROW = TapeRow(1, "linear", None, 0, (8, 4), (), True, True, True, True, 8, 1.0)


def line(step: int, part: int = 0, **changes: Any) -> dict[str, Any]:
    tape = TapeSeen(step=step, site=None, part=part, batch=8, fed=8, files=(), predictions=(), rows=(ROW,))
    return {"phase": "fact", "observed": {**to_plain(tape), **changes}}


def test_the_parts_of_the_last_step_are_kept() -> None:
    found = gather([line(1), line(8), line(8, 1), line(8, 2)]).tape
    assert [(tape.step, tape.part) for tape in found] == [(8, 0), (8, 1), (8, 2)]


def test_a_second_backward_of_the_step_does_not_mix_in() -> None:
    assert len(gather([line(8), line(8), line(8, 1)]).tape) == 2


def test_what_is_no_tape_is_passed_over() -> None:
    assert gather([line(8, rows="none"), {**line(8), "rank": 1}, {**line(8), "timeline": "copy"}]).tape == ()


def test_a_page_shows_so_many_rows_and_no_more() -> None:
    found = gather([line(8, part, rows=[to_plain(ROW)] * 400) for part in range(4)]).tape
    assert sum(len(tape.rows) for tape in found) == 800
