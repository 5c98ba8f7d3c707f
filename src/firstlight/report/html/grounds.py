"""What the verdict rests on, and what it does not say: checks, skips, containment, environment."""

from firstlight.records.report import CheckOutcome, Coverage, Report, Status
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import duration, plural, section, table

ORDER = (Status.ILL, Status.CRASHED, Status.CLEAN, Status.SKIPPED)


def output(report: Report) -> Markup | None:
    if not report.output_tail:
        return None
    lines = "\n".join(report.output_tail)
    code = tag("pre", tag("code", lines), class_="source plain", tabindex="0", role="group", aria_label="output")
    return section("output", "The end of the script's output", code)


def checks(report: Report) -> Markup | None:
    if not report.checks:
        return None
    ordered = sorted(report.checks, key=lambda outcome: (ORDER.index(outcome.status), -outcome.seconds, outcome.id))
    counts = {status: sum(outcome.status is status for outcome in report.checks) for status in ORDER}
    told = ", ".join(f"{count} {status.value}" for status, count in counts.items() if count)
    spent = sum(outcome.seconds for outcome in report.checks)
    whole = table(("check", "verdict", "time", "reason"), [_outcome(one) for one in ordered], "all checks")
    summary = tag("summary", f"All {plural(len(report.checks), 'check')}, {duration(spent)} spent on judging")
    return section(
        "checks", "Checks", _skipped(report.checks), tag("details", summary, whole, class_="rest"), note=f"{told}."
    )


def _outcome(outcome: CheckOutcome) -> list[object]:
    name = [tag("code", outcome.id), " ", outcome.name]
    status = tag("span", outcome.status.value, class_=f"badge {outcome.status.value}")
    return [name, status, duration(outcome.seconds), outcome.reason or ""]


def _skipped(outcomes: tuple[CheckOutcome, ...]) -> Markup | None:
    """Skipped is not clean: these were not judged, and this is why."""
    reasons: dict[str, list[CheckOutcome]] = {}
    for outcome in outcomes:
        if outcome.status in (Status.SKIPPED, Status.CRASHED):
            reasons.setdefault(outcome.reason or "no reason was given", []).append(outcome)
    if not reasons:
        return None
    items = [
        tag(
            "li",
            tag("p", prose(reason)),
            tag("p", [[tag("code", one.id), f" {one.name} "] for one in ones], class_="faint"),
        )
        for reason, ones in reasons.items()
    ]
    count = sum(map(len, reasons.values()))
    return tag(
        "div", tag("h3", f"Not run: {count}, which is not the same as clean"), tag("ul", items, class_="reasons")
    )


def grounds(report: Report) -> Markup:
    coverage, timing = report.coverage, report.timing
    rows: list[tuple[str, object]] = [
        ("command", tag("code", " ".join(report.subject.command))),
        ("run", tag("code", report.subject.run) if report.subject.run else None),
        ("started", tag("time", timing.started, datetime=timing.started)),
        (
            "watched",
            f"{plural(coverage.steps, 'step')} in {coverage.seconds:.1f} s; {coverage.ended}"
            if coverage.ended
            else None,
        ),
        ("start-up", f"{timing.startup_seconds:.1f} s until training began" if timing.startup_seconds else None),
        ("held back", _held(coverage)),
        ("floor", coverage.floor),
        ("started", ", ".join(coverage.started) or None),
        ("allowed", _list(coverage.suppressed)),
        ("unsaid", _list(coverage.limits) if coverage.steps or not coverage.ended else None),
    ]
    told = [tag("div", tag("dt", label), tag("dd", value)) for label, value in rows if value is not None]
    machine = [tag("div", tag("dt", key), tag("dd", str(value))) for key, value in report.environment.items()]
    return section(
        "grounds",
        "What this rests on",
        tag("dl", told, class_="told"),
        tag("h3", "Environment"),
        tag("dl", machine, class_="told narrow"),
    )


def _held(coverage: Coverage) -> str | None:
    left = coverage.held_back_count - len(coverage.held_back)
    return ", ".join(coverage.held_back) + (f" and {left} more" if left > 0 else "") or None


def _list(items: tuple[str, ...]) -> Markup | None:
    return tag("ul", [tag("li", prose(item)) for item in items]) if items else None
