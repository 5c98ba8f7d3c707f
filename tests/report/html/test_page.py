"""What makes the page safe and complete, without a browser."""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from firstlight.facts.chronicle.gathering import gather
from firstlight.records.report import Report, Verdict
from firstlight.report import html
from firstlight.report.web.assets import fingerprint

MOST_BYTES = 1_500_000
Tell = Callable[[str], Report]
Events = Callable[..., Iterator[dict[str, Any]]]


class Reader(HTMLParser):
    """Elements with their attributes, the text of each script and style, and the text a person reads."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.said = ""
        self._open: tuple[str, dict[str, str | None]] | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._open = (tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self._open = None if tag in ("script", "style") else self._open

    def handle_data(self, data: str) -> None:
        if self._open:
            self.raw.append((*self._open, data))
        else:
            self.said += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def page(tell: Tell, events: Events, word: str) -> str:
    return html.render(tell(word), gather(events(word)))


@pytest.fixture
def read(page: str) -> Reader:
    return Reader(page)


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(read: Reader) -> None:
    policy = next(meta["content"] for meta in read.of("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    style, _data, program = (text for _, _, text in read.raw)
    assert policy == (
        f"default-src 'none'; script-src {fingerprint(program)}; style-src {fingerprint(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_the_policy_stands_before_everything_it_rules(page: str) -> None:
    assert page.index("Content-Security-Policy") < min(
        page.index("<style"), page.index("<script"), page.index("<title")
    )


def test_there_is_no_element_and_no_attribute_that_could_run_anything(read: Reader) -> None:
    assert [(kind, attributes) for kind, attributes, _ in read.raw] == [
        ("style", {}),
        ("script", {"type": "application/json", "id": "plots"}),
        ("script", {"type": "module"}),
    ]
    names = {name for _, attributes in read.elements for name in attributes}
    assert {name for name in names if name.startswith("on") or name in ("style", "src", "srcdoc", "action")} == set()
    assert {"iframe", "object", "embed", "img", "form", "base"} & {tag for tag, _ in read.elements} == set()


def test_links_lead_to_the_page_itself(read: Reader) -> None:
    targets = {str(attributes["href"]) for _, attributes in read.elements if "href" in attributes}
    identities = {attributes.get("id") for _, attributes in read.elements}
    outside = [target for target in targets if not target.startswith(("#", "data:image/svg+xml"))]
    assert outside == []
    assert {target[1:] for target in targets if target.startswith("#")} <= identities


def test_identities_are_unique(read: Reader) -> None:
    found = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(found) == len(set(found))


def test_neither_script_nor_style_asks_for_an_address(read: Reader) -> None:
    for kind, attributes, text in read.raw:
        if attributes.get("type") != "application/json":
            assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)", text) == [], kind


def test_the_numbers_are_there_and_nothing_in_them_ends_the_script(read: Reader, word: str) -> None:
    data = next(text for _, attributes, text in read.raw if attributes.get("id") == "plots")
    assert re.findall(r"[<>&\u2028\u2029]", data) == []
    plots = json.loads(data)
    drawn = {str(figure["data-plot"]) for figure in read.of("figure") if "data-plot" in figure}
    assert drawn == set(plots)
    assert {"loss", "grad_norm", "lr", "proof-0", "experiments", "beliefs", "layers-dead", "spread-0"} <= drawn
    assert word[:120] in {curve["name"] for curve in plots["loss"]["curves"]}
    assert plots["loss"]["curves"][0]["y"][-1] == "NaN"


def test_the_proof_sets_the_program_against_its_repair_over_the_steps_compared(report: Report, events: Events) -> None:
    read = Reader(html.render(report, gather(events("fine"))))
    plots = json.loads(next(text for _, attributes, text in read.raw if attributes.get("id") == "plots"))
    assert [(curve["name"], len(curve["x"])) for curve in plots["proof-0"]["curves"]] == [
        ("as it is", 40),
        ("repaired", 40),
    ]


def test_everything_is_told(read: Reader) -> None:
    said = read.said
    for wanted in (
        "Do not start this run",
        "raw scores",
        "return softmax(x)",
        "Not run: 2, which is not the same as clean",
        "FL350 clip-out-of-place",
        "unsaid",
        "Traceback",
        "Shapes through the model",
        "8 × 10",
        "loss-double-activation 10.0% → 90.0%",
        "Predictions",
    ):
        assert wanted in " ".join(said.split()), wanted


def test_a_map_of_influence_shows_what_moves_nothing_as_empty(report: Report) -> None:
    seen = {"fact": "dependence", "step": 0, "kind": "future", "site": None, "own": True, "others": 0, "of": 1}
    line = {
        "phase": "fact",
        "timeline": "probes",
        "observed": seen | {"map": {"places": [0, 3], "moved": [[1, 0], [2, 3]]}},
    }
    made = html.render(report, gather([line]))
    (plots,) = re.findall(r'id="plots">(.*?)</script>', made)

    assert json.loads(plots)["influence-0"]["values"] == [[1.0, None], [2.0, 3.0]]
    assert "What changes what" in made


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_report_with_nothing_measured_is_a_page_too(report: Report, verdict: Verdict) -> None:
    parts = ("findings", "diagnosis", "checks", "reasoning", "output_tail", "excerpts", "mutants")
    bare = msgspec.structs.replace(report, verdict=verdict, **dict.fromkeys(parts, ()))
    read = Reader(html.render(bare))
    assert [attributes["id"] for attributes in read.of("section")] == ["grounds"]
    assert len(read.of("h1")) == 1


def test_the_largest_page_stays_below_its_limit(report: Report) -> None:
    long = "layer.with.a.rather.long.name.as.frameworks.make.them"

    def lines() -> Iterator[dict[str, Any]]:
        for step in range(400):
            parts = {f"{long} {n}": 1.23456789 * step for n in range(40)}
            yield {"phase": "step", "step": step, "loss": 1.0 / (step + 1), "lr": 0.123456, "components": parts}
            for copy in range(40):
                seen = {"fact": "backward", "value": 1.23456789 * step, "site": "a"}
                yield {"phase": "fact", "timeline": f"{long} {copy}", "observed": seen}
            rows = [
                {"name": f"{long} {n}", "norm": 1.234567 * step, "update_ratio": 1e-3 * n, "zeros": 0.123456}
                for n in range(300)
            ]
            if step % 8 == 0:
                yield {"phase": "gradient_stats", "step": step, "params": rows}
                yield {
                    "phase": "activation_stats",
                    "step": step,
                    "modules": [row | {"dead": 0.1234, "std": 1.2} for row in rows],
                }
                for n in range(30):
                    counts = [step + place for place in range(40)]
                    bins = [float(place) for place in range(41)]
                    yield {
                        "phase": "histogram",
                        "step": step,
                        "name": f"{long} {n}",
                        "kind": "x",
                        "bins": bins,
                        "counts": counts,
                    }

    many = msgspec.structs.replace(report, findings=report.findings * 150, output_tail=("x" * 10_000,) * 25)
    page = html.render(many, gather(lines()))
    assert 300_000 < len(page.encode()) < MOST_BYTES
    assert "more findings are in report.json" in page
