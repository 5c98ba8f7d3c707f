"""Each finding with the line it is about, what was seen against what was wanted, and the proof."""

from collections.abc import Iterator, Mapping

from firstlight.diagnosis.knowledge.repairs import repairs_of
from firstlight.observe.source.excerpts import PLACE
from firstlight.records.chronicle import Chronicle, Curve
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Excerpt, Report
from firstlight.report.assurance import further_witnesses
from firstlight.report.html import plots
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import figure, plural, section
from firstlight.report.html.plots import Plot

MOST = 200
"""A page with more is a list for a program to read."""
FILTERED_FROM = 3
"""With fewer findings there is nothing to sort out."""


def findings(report: Report, chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    if not report.findings:
        return None
    cards = [_card(place, one, report, chronicle, drawn) for place, one in enumerate(report.findings[:MOST])]
    left = len(report.findings) - len(cards)
    more = tag("p", f"{left} more findings are in report.json.", class_="faint") if left else None
    head = plural(len(report.findings), "finding").capitalize()
    return section("findings", head, _filter(report) if len(report.findings) >= FILTERED_FROM else None, cards, more)


def _filter(report: Report) -> Markup:
    present = [severity for severity in Severity if any(one.severity is severity for one in report.findings)]
    buttons = [
        tag("button", severity.value, type="button", class_="chip", aria_pressed="true", data_severity=severity.value)
        for severity in present
    ]
    box = tag("input", type="search", id="find", placeholder="name, file, words", autocomplete="off")
    label = tag("label", "Filter ", for_="find", class_="unseen")
    count = tag("output", class_="faint", id="found", aria_live="polite")
    return tag("div", label, box, buttons, count, class_="filter", hidden=True)


def _card(place: int, finding: Finding, report: Report, chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup:
    key = f"proof-{place}"
    plot = _proof(finding, chronicle.timelines)
    if plot is not None:
        drawn[key] = plot
    title = tag("h3", prose(finding.summary))
    badge = tag("span", finding.severity.value, class_=f"badge {finding.severity.value}")
    proven = tag("span", "proven", class_="badge proven") if finding.verified else None
    name = tag("p", badge, proven, tag("span", f"{finding.id} {finding.name}", class_="mono faint"), class_="marks")
    parts: list[object] = [
        name,
        title,
        tag("p", place_of(finding), class_="mono where"),
        _sources(finding, report.excerpts),
    ]
    parts += [_told(finding), figure(key, plot) if plot else None, _numbers(finding)]
    search = " ".join((finding.id, finding.name, finding.cause, finding.summary, finding.where.file or "")).lower()
    return tag(
        "article",
        parts,
        class_=f"card finding {finding.severity.value}",
        id=f"finding-{place}",
        data_severity=finding.severity.value,
        data_words=search,
    )


def place_of(finding: Finding) -> str:
    where = finding.where
    parts = [where.place] if where.file else []
    parts += [where.module] if where.module else []
    parts += [f"step {where.step}"] if where.step is not None else []
    parts += [f"rank {where.rank}"] if where.rank else []
    parts += [f"and {finding.count - 1} more like it"] if finding.count > 1 else []
    return " · ".join(parts) or "the whole run"


def _told(finding: Finding) -> Markup:
    likely = "proven" if finding.verified else "likely"
    told = finding.likely.removeprefix("proven: ") if finding.verified else finding.likely
    pair = [_said("saw", finding.saw, "saw"), _said("wanted", finding.wanted, "wanted")]
    also = [_said("also", text) for text in further_witnesses(finding)]
    return tag(
        "div",
        tag("dl", pair, class_="against"),
        tag("dl", _said(likely, told), _said("do", finding.do, "do"), also, class_="told"),
    )


def _said(label: str, text: str, kind: str = "") -> Markup:
    return tag("div", tag("dt", label), tag("dd", prose(text)), class_=kind or None)


def _sources(finding: Finding, excerpts: tuple[Excerpt, ...]) -> list[Markup]:
    """The line of the finding, then lines its message points to."""
    found = []
    for excerpt, line in _shown(finding, excerpts):
        cell = f", cell {excerpt.cell}" if excerpt.cell is not None else ""
        label = f"{excerpt.file}{cell}, lines {excerpt.first} to {excerpt.first + len(excerpt.lines) - 1}"
        rows = [_line(excerpt.first + place, text, line) for place, text in enumerate(excerpt.lines)]
        code = tag("pre", tag("code", rows), class_="source", tabindex="0", role="group", aria_label=label)
        caption = tag("figcaption", f"{excerpt.file}{cell}", class_="mono")
        found.append(tag("figure", caption, code, class_="excerpt"))
    return found


def _shown(finding: Finding, excerpts: tuple[Excerpt, ...]) -> Iterator[tuple[Excerpt, int]]:
    where = finding.where
    places = [(where.file, where.line, where.cell)] if where.file and where.line else []
    places += [(file, int(line), None) for file, line in PLACE.findall(f"{finding.saw} {finding.do}")]
    for file, line, cell in dict.fromkeys(places):
        for excerpt in excerpts:
            last = excerpt.first + len(excerpt.lines) - 1
            if (excerpt.file, excerpt.cell) == (file, cell) and excerpt.first <= line <= last:
                yield excerpt, line
                break


def _line(number: int, text: str, chosen: int) -> Markup:
    row = [tag("span", str(number), class_="number"), tag("span", text or " ", class_="code"), "\n"]
    return tag("mark" if number == chosen else "span", row, class_="line")


def _proof(finding: Finding, timelines: tuple[Curve, ...]) -> Plot | None:
    if finding.proof is None:
        return None
    made = {curve.name for curve in timelines}
    repair = next((experiment.slug for experiment in repairs_of(finding.cause) if experiment.slug in made), None)
    return plots.proof(finding, timelines, repair) if repair else None


def _numbers(finding: Finding) -> Markup | None:
    shown: Mapping[str, object] = {key: value for key, value in finding.evidence.items() if value is not None}
    rows = [tag("tr", tag("th", key, scope="row"), tag("td", _number(value))) for key, value in shown.items()]
    summary = tag("summary", f"Evidence and more · firstlight explain {finding.id}")
    sure = tag("p", f"cause {finding.cause} · confidence {finding.confidence:.0%}", class_="faint")
    return tag("details", summary, sure, tag("table", tag("tbody", rows)) if rows else None, class_="behind")


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
