"""Edits are made where they fit, never twice in one place, and never so that the file no longer parses."""

import ast

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from firstlight.findings.repair import difference, repaired
from firstlight.records.finding import Edit, Finding, Severity
from firstlight.records.places import Where

FINDING = Finding(
    id="FL736",
    name="requires-grad-misspelt",
    cause="train-frozen",
    category="train",
    severity=Severity.ERROR,
    confidence=0.9,
    verified=False,
    where=Where(file="a.py", line=1),
    summary="",
    saw="",
    wanted="",
    likely="",
    do="",
)


def finding(*edits: tuple[int, int, int, str]) -> Finding:
    made = tuple(
        Edit(line=line, column=start, end_line=line, end_column=end, text=text) for line, start, end, text in edits
    )
    return msgspec.structs.replace(FINDING, edits=made)


def test_edits_replace_and_insert() -> None:
    done = repaired(b"x.a = 1\r\ny.step\r\n", [finding((1, 2, 3, "bb")), finding((2, 6, 6, "()"))])

    assert done.data == b"x.bb = 1\r\ny.step()\r\n"
    assert len(done.fixed) == 2


def test_columns_count_bytes() -> None:
    assert repaired("é.a = 1\n".encode(), [finding((1, 3, 4, "b"))]).data == "é.b = 1\n".encode()


def test_of_two_edits_in_one_place_the_first_is_made() -> None:
    done = repaired(b"x.a = 1\n", [finding((1, 2, 3, "b")), finding((1, 2, 3, "c"))])

    assert (done.data, len(done.fixed)) == (b"x.b = 1\n", 1)


def test_nothing_is_changed_when_the_result_would_not_parse() -> None:
    assert repaired(b"x = 1\n", [finding((1, 4, 5, "("))]).data == b"x = 1\n"


def test_an_edit_beyond_the_file_is_left_out() -> None:
    assert repaired(b"x = 1\n", [finding((9, 0, 0, "y"))]).fixed == ()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30), st.text(max_size=5)), max_size=6),
)
def test_any_edits_leave_python(edits: list[tuple[int, int, int, str]]) -> None:
    data = b"x = [1, 2]\ny = x\nprint(y)\n"

    ast.parse(repaired(data, [finding(edit) for edit in edits]).data)


def test_a_difference_names_the_file() -> None:
    assert difference(b"a\n", b"b", "x.py").splitlines()[:2] == ["--- a/x.py", "+++ b/x.py"]
