from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from firstlight.records.printable import OBEYED
from firstlight.report.html.markup import LONGEST, Markup, prose, tag, text


class Reader(HTMLParser):
    def __init__(self, written: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.said = ""
        self.feed(written)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.said += data


@given(st.text(max_size=60), st.text(max_size=60))
def test_text_and_attributes_read_back_as_they_were(content: str, attribute: str) -> None:
    read = Reader(tag("p", content, title=attribute))
    assert read.tags == ["p"]
    if not OBEYED.search(content + attribute):
        assert read.said == content.replace("\r\n", "\n")
        assert read.attributes == {"title": attribute}


@given(st.text(max_size=60))
def test_a_message_makes_no_element_but_code(message: str) -> None:
    assert set(Reader(tag("p", prose(message))).tags) <= {"p", "code"}


def test_backticks_mark_code() -> None:
    assert prose("give `x<1>` back") == "give <code>x&lt;1&gt;</code> back"


def test_what_deceives_the_eye_is_named() -> None:
    assert text("if x:\u202e\x00") == "if x:⟨U+202E right-to-left override⟩⟨U+0000⟩"


def test_attributes_are_written_as_html_names_them() -> None:
    assert tag("input", class_="a", data_words="b", hidden=True, disabled=False, title=None) == (
        '<input class="a" data-words="b" hidden>'
    )


def test_children_may_be_nested_and_markup_is_not_escaped_again() -> None:
    assert tag("ul", [tag("li", "<"), None, [Markup("<b>x</b>")]], 3) == "<ul><li>&lt;</li><b>x</b>3</ul>"


def test_no_text_is_longer_than_anyone_reads() -> None:
    assert text("x" * (LONGEST + 5)).endswith("x … and 5 more characters")
