"""What a terminal would obey is spelt out; what people write stays as it is."""

import pytest

from firstlight.records.printable import in_one_line, printable


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


def test_in_one_line_nothing_begins_another() -> None:
    assert in_one_line("a\n::error::b\tc") == "a\\n::error::b\\tc"
