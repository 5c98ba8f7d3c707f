"""The page in a real browser: it is drawn, it answers, and nothing a run says becomes code.

Needs Chromium on the machine and the `browser` extra; `make test-browser` installs the latter. What keeps the page
safe is tested without a browser too, in test_page.py.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firstlight.facts.chronicle.gathering import gather
from firstlight.records.report import Report
from firstlight.report import html

Tell = Callable[[str], Report]
Events = Callable[..., Iterator[dict[str, Any]]]


class Watched:
    """A page, with everything it asked for and complained about."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.goto(address)

    def figure(self, name: str) -> Any:
        """Plots are drawn when they come near."""
        found = self.page.locator(f"[data-plot='{name}']")
        found.scroll_into_view_if_needed()
        found.locator(".plot svg *").first.wait_for(state="attached")
        return found

    def unfold(self) -> None:
        """Opens everything that can be opened, and draws every plot."""
        for summary in self.page.query_selector_all("summary"):
            if summary.is_visible():
                summary.click()
        for figure in self.page.query_selector_all("[data-plot]"):
            self.figure(str(figure.get_attribute("data-plot")))


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    contexts = []

    def open_(text: str, **options: Any) -> Watched:
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        context = chromium.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        return Watched(context.new_page(), path.as_uri())

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def written(report: Report, events: Events) -> str:
    return html.render(report, gather(events("fine")))


def test_a_hostile_run_runs_nothing_and_asks_for_nothing(
    open_page: Callable[..., Watched], tell: Tell, events: Events, word: str
) -> None:
    watched = open_page(html.render(tell(word), gather(events(word))))
    watched.unfold()
    assert watched.page.evaluate("window.hacked") is None
    assert watched.complaints == []
    assert {url.split(":")[0] for url in watched.requests} <= {"file", "data"}
    assert len([url for url in watched.requests if url.startswith("file:")]) == 1
    assert watched.page.locator(".finding").count() == 3


def test_drag_zooms_and_a_button_shows_everything_again(open_page: Callable[..., Watched], written: str) -> None:
    watched = open_page(written)
    page, figure = watched.page, watched.figure("lr")
    plot = figure.locator(".plot")
    before = plot.locator("text").all_text_contents()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 60, steps=4)
    page.mouse.up()
    assert plot.locator("text").all_text_contents() != before
    figure.get_by_role("button", name="show all").click()
    assert plot.locator("text").all_text_contents() == before


def test_hover_reads_every_plot_over_steps_at_once(open_page: Callable[..., Watched], written: str) -> None:
    watched = open_page(written)
    page = watched.page
    watched.figure("lr")
    watched.figure("grad_norm").locator(".plot").hover(position={"x": 200, "y": 80})
    values = {
        name: page.locator(f"[data-plot={name}] .legend .value").first.text_content() for name in ("grad_norm", "lr")
    }
    assert values["lr"] == "0.001"
    assert 0.5 <= float(values["grad_norm"] or "nan") <= 6.5


def test_a_name_hides_its_curve(open_page: Callable[..., Watched], written: str) -> None:
    figure = open_page(written).figure("proof-0")
    assert figure.locator("path.curve").count() == 2
    key = figure.get_by_role("button", name="repaired")
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert figure.locator("path.curve").count() == 1


def test_the_keyboard_reads_and_zooms(open_page: Callable[..., Watched], written: str) -> None:
    watched = open_page(written)
    page, figure = watched.page, watched.figure("lr")
    figure.locator(".plot").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert figure.locator(".spoken").text_content() == "step 1: learning rate 0.001"
    page.keyboard.press("+")
    assert figure.get_by_role("button", name="show all").is_visible()
    page.keyboard.press("Escape")
    assert figure.get_by_role("button", name="show all").is_hidden()


def test_what_is_not_finite_is_marked(open_page: Callable[..., Watched], written: str) -> None:
    figure = open_page(written).figure("loss")
    assert figure.locator(".broken text").first.text_content() == "NaN from 56"


def test_a_cell_of_a_map_can_be_read(open_page: Callable[..., Watched], written: str) -> None:
    watched = open_page(written)
    page, figure = watched.page, watched.figure("layers-dead")
    figure.locator(".plot").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert figure.locator(".cell-read").text_content() == "fine1 · step 0 · 0.2"


def test_every_plot_has_its_numbers_as_a_table(open_page: Callable[..., Watched], written: str) -> None:
    watched = open_page(written)
    page, figure = watched.page, watched.figure("lr")
    figure.get_by_text("as a table").click()
    page.wait_for_selector("[data-plot=lr] tbody tr")
    rows = figure.locator("tbody tr").all_text_contents()
    assert (len(rows), rows[0]) == (60, "00.001")


def test_findings_are_filtered_by_severity_and_by_words(open_page: Callable[..., Watched], written: str) -> None:
    page = open_page(written).page
    shown = page.locator(".finding:visible")
    page.get_by_role("button", name="note").click()
    assert shown.count() == 2
    page.get_by_role("searchbox").fill("name-1")
    assert shown.count() == 1
    assert page.locator("#found").text_content() == "1 of 3 shown"


def test_the_theme_follows_the_system_and_the_button(open_page: Callable[..., Watched], written: str) -> None:
    page = open_page(written, color_scheme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate(ground) != dark
    page.get_by_role("button", name="Use dark colours").click()
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("width", [320, 1200])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Watched], written: str, width: int) -> None:
    watched = open_page(written, viewport={"width": width, "height": 800})
    watched.unfold()
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_everything_but_the_plots_is_there(open_page: Callable[..., Watched], written: str) -> None:
    page = open_page(written, java_script_enabled=False).page
    assert page.get_by_role("heading", name="Do not start this run").is_visible()
    assert page.get_by_text("Plots need scripts").count() > 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(open_page: Callable[..., Watched], written: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    watched = open_page(written, color_scheme=scheme, bypass_csp=True)
    watched.unfold()
    found = axe.Axe().run(watched.page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []
