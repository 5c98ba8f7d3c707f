"""How the cause was looked for: experiments on copies, hypotheses, and each step of the reasoning."""

import math

from firstlight.diagnosis.causes import BY_SLUG
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.diagnosis.knowledge.repairs import repairs_of
from firstlight.facts.contrast import level
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Hypothesis, Inference, Report
from firstlight.report.html import plots
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import figure, section, table
from firstlight.report.html.plots import Plot

FURTHER = "further"
LEAST_SHIFT = 0.005
"""A change of belief below half a percent is not told."""


def experiments(report: Report, chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    """Repairs of what was found come first."""
    repairs = {repair.slug for finding in report.findings for repair in repairs_of(finding.cause)}
    plot = plots.experiments(chronicle, repairs)
    if plot is None:
        return None
    drawn["experiments"] = plot
    rows: list[list[object]] = []
    for curve in chronicle.timelines:
        ends = level(curve.y)
        last = f"{ends.last:.4g}" if math.isfinite(ends.last) else "not finite"
        rows.append([tag("code", curve.name), plots.question(curve.name), f"{ends.first:.4g}", last])
    return section(
        "experiments",
        "Experiments",
        figure("experiments", plot),
        table(("copy", "question", "first loss", "last loss"), rows, "experiments"),
        note="Copies of the program, forked at its first batch, with the same weights and data and one thing changed.",
    )


def diagnosis(report: Report, drawn: dict[str, Plot]) -> Markup | None:
    if not report.diagnosis:
        return None
    main = [_suspect(found) for found in report.diagnosis if found.role != FURTHER]
    others = [_suspect(found) for found in report.diagnosis if found.role == FURTHER]
    cards = tag("ol", main, class_="suspects")
    further = tag(
        "details", tag("summary", f"{len(others)} more causes"), tag("ol", others, class_="suspects"), class_="rest"
    )
    reasoned = [step for step in report.reasoning if step.beliefs]
    plot = None
    if len(reasoned) > 1:
        causes = [hypothesis.cause for hypothesis in report.diagnosis]
        drawn["beliefs"] = plots.beliefs(causes, [step.beliefs for step in reasoned])
        plot = figure("beliefs", drawn["beliefs"])
    note = "Which cause explains what was seen. There may be several at once."
    return section("diagnosis", "Diagnosis", cards, further if others else None, plot, _trail(report), note=note)


def _suspect(found: Hypothesis) -> Markup:
    percent = f"{found.probability:.0%}"
    rect = tag("rect", width=f"{100 * found.probability:.1f}", height="1")
    bar = tag("svg", rect, viewBox="0 0 100 1", preserveAspectRatio="none", aria_hidden="true", class_="share")
    proven = tag("span", "proven", class_="badge proven") if found.verified else None
    role = tag("span", found.role, class_="badge role") if found.role else None
    head = tag("p", tag("strong", percent, class_="percent"), tag("code", found.cause), role, proven, class_="marks")
    rows = [
        ("for", ", ".join((*found.because, *map(_observed, found.for_it)))),
        ("against", ", ".join(map(_observed, found.against_it))),
        ("rule out", found.falsifier or ""),
        ("fix", found.fix or ""),
    ]
    told = [tag("div", tag("dt", label), tag("dd", prose(words))) for label, words in rows if words]
    meaning = tag("p", BY_SLUG[found.cause].meaning, class_="faint") if found.cause in BY_SLUG else None
    return tag("li", head, bar, meaning, tag("dl", told, class_="told") if told else None, class_="card suspect")


def _observed(slug: str) -> str:
    """In words, as far as this version knows the observation."""
    known = KNOWLEDGE.observation.get(slug.removeprefix("not "))
    if known is None:
        return slug
    return f"not seen: {known.says}" if slug.startswith("not ") else known.says


def _trail(report: Report) -> Markup | None:
    if not report.reasoning:
        return None
    items = []
    before: dict[str, float] = {}
    for step in report.reasoning:
        items.append(_inference(step, before))
        before = step.beliefs or before
    summary = tag("summary", f"The reasoning, in {len(report.reasoning)} steps")
    return tag("details", summary, tag("ol", items, class_="trail"), class_="rest")


def _inference(step: Inference, before: dict[str, float]) -> Markup:
    shifts = [
        tag("li", tag("code", cause), f" {before[cause]:.1%} → {now:.1%}")
        for cause, now in step.beliefs.items()
        if cause in before and abs(now - before[cause]) >= LEAST_SHIFT
    ]
    why = tag("p", prose(step.why), class_="faint") if step.why else None
    head = tag("p", tag("span", step.kind, class_="badge role"), " ", prose(step.what))
    return tag("li", head, why, tag("ul", shifts, class_="shifts mono") if shifts else None)
