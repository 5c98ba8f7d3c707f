"""The dashboard in a real browser: what a person sees, clicks, drags and types; and that nothing a run says runs."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.dashboard.conftest import HOSTILE, Served, Written, judge

from firstlight.records import events
from firstlight.records.report import Verdict

Serve = Callable[[], Served]
Write = Callable[..., Written]


@pytest.fixture
def page(chromium: Any, serve: Serve) -> Iterator[Any]:
    """Open on the list of runs. Any error, and any request to elsewhere, fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(20_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda told: wrong.append(told.text) if told.type in ("error", "warning") else None)
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    served = serve()
    page.on("request", lambda asked: None if asked.url.startswith((served.home, "data:")) else wrong.append(asked.url))
    page.goto(served.url)
    page.served = served
    yield page
    context.close()
    assert wrong == []


@pytest.fixture
def three(write: Write) -> None:
    judge(write("20260101-a", steps=40))
    judge(write("20260102-b"), Verdict.CLEAN, text="other")
    write("20260103-c")


def rows(page: Any) -> list[str]:
    return [row.inner_text() for row in page.locator("tbody tr:visible").all()]


def test_runs_are_listed_filtered_and_opened(three: None, page: Any) -> None:
    page.locator("tbody tr").nth(2).wait_for()
    assert "token" not in page.url
    assert len(rows(page)) == 3
    page.get_by_role("button", name="clean").click()
    page.get_by_role("button", name="running").click()
    (left,) = rows(page)
    assert "hp-lr-high" in left
    page.get_by_role("searchbox").fill("nothing like this")
    assert rows(page) == []
    page.get_by_role("searchbox").fill("lr-high")
    page.get_by_role("link", name="train.py").click()
    page.get_by_role("heading", name="Do not start this run").wait_for()


def test_findings_are_filtered(three: None, page: Any) -> None:
    page.goto(f"{page.served.home}#/run/20260101-a")
    page.locator(".finding").nth(4).wait_for()
    page.locator("#findings").get_by_role("button", name="note").click()
    page.locator("#findings output", has_text="4 of 5").wait_for()
    assert page.locator(".finding:visible").count() == 4
    page.get_by_role("searchbox").fill("saw 2.py")
    assert page.locator(".finding:visible").count() == 1


def test_curves_are_zoomed_read_and_hidden(three: None, page: Any) -> None:
    page.goto(f"{page.served.home}#/run/20260101-a")
    plot = page.locator(".plot").first
    plot.locator(".curve").first.wait_for(state="attached")
    page.locator(".finding").nth(4).wait_for()
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    middle = box["y"] + box["height"] / 2
    with page.expect_response(lambda answer: "/curves?from=" in answer.url) as asked:
        page.mouse.move(box["x"] + 0.4 * box["width"], middle)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=5)
        page.mouse.up()
    assert asked.value.json()["fine"]
    everything = page.get_by_role("button", name="show all").first
    everything.click()
    everything.wait_for(state="hidden")
    plot.focus()
    page.keyboard.press("ArrowRight")
    assert "step 0" in page.locator(".spoken").first.text_content()
    key = page.locator(".legend .key").first
    key.click()
    assert key.get_attribute("aria-pressed") == "false"


def test_a_run_moves_while_it_is_watched(write: Write, page: Any) -> None:
    going = write("20260104-d", steps=5)
    page.goto(f"{page.served.home}#/run/20260104-d")
    page.get_by_role("heading", name="Running").wait_for()
    going.steps(5, 50)
    going.log.append(events.RedFlag, type="loss-spike", severity="error", message="a spike", recommendation="look")
    page.locator(".figures dd", has_text="50").wait_for()
    page.get_by_role("heading", name="a spike").wait_for()
    judge(going, Verdict.CLEAN)
    page.get_by_role("heading", name="Nothing found", exact=True).wait_for()
    page.get_by_role("link", name="Full report").wait_for()


def test_runs_are_compared(three: None, page: Any) -> None:
    page.locator("tbody tr").nth(2).wait_for()
    for box in page.get_by_role("checkbox").all()[:2]:
        box.check()
    page.get_by_role("link", name="Compare 2 runs").click()
    page.locator(".plot").first.locator(".curve").nth(1).wait_for(state="attached")
    assert len(rows(page)) == 2


def test_the_report_opens_beside_it(three: None, page: Any) -> None:
    page.goto(f"{page.served.home}#/run/20260101-a")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Full report").click()
    report = opened.value
    report.get_by_role("heading", level=1).wait_for()
    report.locator("[data-plot]").first.scroll_into_view_if_needed()
    report.locator(".curve").first.wait_for(state="attached")


def test_nothing_a_run_says_runs(write: Write, page: Any) -> None:
    name = HOSTILE.replace("/", "")
    going = write(name, command=HOSTILE)
    for metric in (HOSTILE, "</script><script>alert(3)</script>", "__proto__", "constructor"):
        going.log.append(events.EvalComplete, split=HOSTILE, metrics={metric: 0.5}, n=1)
    going.log.append(events.RedFlag, type=HOSTILE, severity=HOSTILE, message=HOSTILE, recommendation=HOSTILE)
    page.reload()
    page.get_by_role("link", name=HOSTILE, exact=True).click()
    page.get_by_role("heading", name="<img src=x").wait_for()
    judge(going, text=HOSTILE)
    page.locator(".finding").nth(4).wait_for()
    page.goto(f"{page.served.home}#/compare/{quote(name, safe='')}/{quote(name, safe='')}")
    page.locator(".curve").first.wait_for(state="attached")
    assert page.locator("img").count() == 0
    assert page.locator("main script").count() == 0


@pytest.mark.parametrize("route", ["", "#/run/20260101-a", "#/compare/20260101-a/20260102-b"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(three: None, page: Any, route: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{page.served.home}{route}")
    page.locator("tbody tr, .curve").first.wait_for(state="attached")
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


def test_it_fits_a_phone(three: None, page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    for route in ("#/", "#/run/20260101-a", "#/compare/20260101-a/20260102-b"):
        page.goto(f"{page.served.home}{route}")
        page.locator("tbody tr, .curve").first.wait_for(state="attached")
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
