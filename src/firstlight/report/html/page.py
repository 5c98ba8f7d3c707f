"""The whole page: head, verdict, what there is to tell in the order in which it matters, numbers, script."""

from firstlight import __version__
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Report
from firstlight.report.html import findings, grounds, inquiry, mutants, plots, sections, tables, verdict
from firstlight.report.html.markup import Markup, tag, text
from firstlight.report.html.plots import Plot
from firstlight.report.web.assets import fingerprint, joined, text_of

STAR = "M12 1.5l1.9 8.6 8.6 1.9-8.6 1.9L12 22.5l-1.9-8.6L1.5 12l8.6-1.9z"
ICON = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>"
    f"<path fill='%235f7fe0' d='{STAR}'/></svg>"
)
LABELS = {
    "findings": "Findings",
    "output": "Output",
    "tables": "Data",
    "mutants": "Planted faults",
    "diagnosis": "Diagnosis",
    "curves": "Curves",
    "experiments": "Experiments",
    "layers": "Layers",
    "spreads": "Distributions",
    "predictions": "Predictions",
    "influence": "Influence",
    "shapes": "Shapes",
    "tape": "Operations",
    "checks": "Checks",
    "grounds": "Grounds",
    "drawings": "Plots",
    "measured": "Measured",
    "numbers": "Numbers",
    "limits": "Limits",
}


def render(report: Report, chronicle: Chronicle | None = None) -> str:
    drawn: dict[str, Plot] = {}
    body = _sections(report, chronicle or Chronicle(), drawn)
    command = " ".join(report.subject.command)
    return document((f"{report.verdict.value}: {command}", command), verdict.verdict(report), body, drawn)


def document(head: tuple[str, str], answer: Markup, body: dict[str, Markup], drawn: dict[str, Plot]) -> str:
    """A whole page: `head` is its title and what its bar says, `drawn` the plots its sections left room for."""
    title, command = head
    style = text_of("style.css") + text_of("report.css")
    script = joined("report")
    data = Markup(f'<script type="application/json" id="plots">{plots.encoded(plots.slimmed(drawn))}</script>')
    program = Markup(f'<script type="module">{script}</script>')
    content = tag("main", answer, _contents(body), *body.values())
    page = tag(
        "html", _head(title, style, script), tag("body", _bar(command), content, _foot(), data, program), lang="en"
    )
    return f"<!doctype html>\n{page}\n"


def _sections(report: Report, told: Chronicle, drawn: dict[str, Plot]) -> dict[str, Markup]:
    found = {
        "findings": findings.findings(report, told, drawn),
        "output": grounds.output(report),
        "tables": tables.tables(report),
        "mutants": mutants.mutants(report),
        "diagnosis": inquiry.diagnosis(report, drawn),
        "curves": sections.curves(told, drawn),
        "experiments": inquiry.experiments(report, told, drawn),
        "layers": sections.layers(told, drawn),
        "spreads": sections.spreads(told, drawn),
        "predictions": sections.predictions(told.predictions),
        "influence": sections.influence(told, drawn),
        "shapes": sections.trace(told),
        "tape": sections.tape(told),
        "checks": grounds.checks(report),
        "grounds": grounds.grounds(report),
    }
    return {key: section for key, section in found.items() if section is not None}


def _head(title: str, style: str, script: str) -> Markup:
    """Only this very script and style may run: the policy names their fingerprints, and forbids everything else."""
    policy = (
        f"default-src 'none'; script-src {fingerprint(script)}; style-src {fingerprint(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content=f"firstlight {__version__}"),
        tag("title", title),
        tag("link", rel="icon", href=ICON),
        Markup(f"<style>{style}</style>"),
    )


def _bar(told: str) -> Markup:
    star = tag("svg", tag("path", d=STAR), viewBox="0 0 24 24", aria_hidden="true")
    command = tag("span", told, class_="mono command")
    moon = tag("svg", tag("path", d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"), viewBox="0 0 24 24")
    toggle = tag("button", moon, type="button", class_="theme", hidden=True, aria_label="Change colors")
    return tag("div", tag("span", star, "firstlight", class_="brand"), command, toggle, class_="bar", role="banner")


def _contents(body: dict[str, Markup]) -> Markup:
    links = [tag("li", tag("a", LABELS[key], href=f"#{key}")) for key in body]
    return tag("nav", tag("ul", links), aria_label="Sections")


def _foot() -> Markup:
    made = text(f"firstlight {__version__} · this page is self-contained and loads nothing from the network")
    return tag("footer", tag("p", made))
