"""The answer, readable in one second: worth starting or not, and why."""

from firstlight.records.finding import Severity
from firstlight.records.report import Report, Status, Verdict
from firstlight.report.assurance import rows
from firstlight.report.html.findings import place_of
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import duration, plural

HEADLINES = {
    Verdict.ILL: "Do not start this run",
    Verdict.WARN: "Look before you start",
    Verdict.CLEAN: "Nothing found",
    Verdict.UNJUDGED: "Could not judge",
}
IN_SOURCES = {Verdict.ILL: "Do not run this as it is", Verdict.WARN: "Look at these lines"}
"""The same of a report on sources, in which nothing was run."""
OF_A_RUN = {Verdict.ILL: "Red flags were raised", Verdict.WARN: "Look at this run", Verdict.CLEAN: "No red flag"}
"""The same of a run that was guarded."""
OF_DATA = {
    Verdict.ILL: "Do not train on this data",
    Verdict.WARN: "Look at this data",
    Verdict.CLEAN: "Nothing found",
}
"""The same of data."""
SYMBOLS = {
    Verdict.ILL: "M7 7l10 10M17 7L7 17",
    Verdict.WARN: "M12 6v8M12 17.5v.5",
    Verdict.CLEAN: "M6.5 12.5l4 4 7-9",
    Verdict.UNJUDGED: "M9 9.2a3 3 0 1 1 4.4 2.7c-1 .6-1.4 1.1-1.4 2.3M12 17.5v.3",
}


def verdict(report: Report) -> Markup:
    headlines = HEADLINES | {"sources": IN_SOURCES, "run": OF_A_RUN, "tables": OF_DATA}.get(report.subject.kind, {})
    icon = tag(
        "svg",
        tag("circle", cx="12", cy="12", r="11"),
        tag("path", d=SYMBOLS[report.verdict]),
        viewBox="0 0 24 24",
        aria_hidden="true",
        class_="sign",
    )
    word = tag("p", icon, tag("span", report.verdict.value), class_="word")
    head = tag("h1", headlines[report.verdict])
    parts = [word, head, _because(report), _sure(report), _figures(report)]
    return tag("header", parts, class_=f"verdict {report.verdict.value}")


def _sure(report: Report) -> Markup | None:
    """The evidence behind the verdict, in numbers."""
    told = list(rows(report.assurance)) if report.verdict is not Verdict.UNJUDGED else []
    items = [tag("div", tag("dt", label), tag("dd", prose(text))) for label, text in told]
    return tag("dl", items, class_="told sure") if items else None


def _because(report: Report) -> Markup | None:
    if report.verdict is Verdict.UNJUDGED:
        return tag("p", prose(_sentence(report.reason or "nothing could be judged")), class_="because")
    if not report.findings or report.findings[0].severity is Severity.NOTE:
        steps = f"in {plural(report.coverage.steps, 'step')}" if report.coverage.steps else "in what was read"
        clean = sum(outcome.status is Status.CLEAN for outcome in report.checks)
        return tag("p", f"{plural(clean, 'check')} found nothing wrong {steps}.", class_="because")
    first = report.findings[0]
    link = tag("a", place_of(first), href="#finding-0", class_="mono")
    return tag("p", prose(_sentence(first.summary)), " ", link, class_="because")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "…", "!", "?")) else ".")


def _figures(report: Report) -> Markup:
    counts = [(sum(one.severity is severity for one in report.findings), severity.value) for severity in Severity]
    judged = report.verdict is not Verdict.UNJUDGED
    clean = sum(outcome.status is Status.CLEAN for outcome in report.checks)
    skipped = sum(outcome.status is Status.SKIPPED for outcome in report.checks)
    told = [(str(count), plural(count, word).split(" ", 1)[1]) for count, word in counts if count]
    told += [(f"{clean}/{len(report.checks)}", "checks clean")] if report.checks and judged else []
    told += [(str(skipped), "not run")] if skipped else []
    told += [(str(report.coverage.steps), "steps watched")] if report.coverage.steps else []
    told += [(str(len(report.coverage.experiments)), "experiments")] if report.coverage.experiments else []
    told += [(duration(report.timing.seconds), "in total")]
    items = [tag("div", tag("dt", label), tag("dd", value)) for value, label in told]
    return tag("dl", items, class_="figures")
