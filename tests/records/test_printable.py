"""What a terminal would obey is spelt out; what people write stays as it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.records.printable import OBEYED, escaped_in_json, in_one_line, inert, printable


@pytest.mark.parametrize("text", ["train.py", "naïve — 数据 · 😀", "two\nlines\tand a tab", "\u200c\u200d"])
def test_text_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("\a\b\r\x7f\0", "\\x07\\x08\\r\\x7f\\x00"),
        ("evil\u202egpj.py", "evil\\u202egpj.py"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("a\u2028b", "a\\u2028b"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_would_be_obeyed_is_spelt_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_colours_go_where_lines_are_shown_and_stay_where_nothing_may_be_hidden() -> None:
    assert printable("\x1b[1;31mred\x1b[0m") == "red"
    assert in_one_line("\x1b[8mhidden") == "\\x1b[8mhidden"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\::error::x"),
        ("a\n \t::error::x", "a\n \t\\::error::x"),
        ("see std::vector", "see std::vector"),
        ("x ##[group]", "x ##\\[group]"),
    ],
)
def test_a_build_service_finds_no_order(text: str, shown: str) -> None:
    assert inert(text) == shown


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_a_document_of_json_stays_the_same(text: str) -> None:
    written = escaped_in_json(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(written) == {text: [text]}
    assert not OBEYED.search(written)


def test_in_one_line_nothing_begins_another() -> None:
    assert in_one_line("a\n::error::b\tc") == "a\\n::error::b\\tc"
