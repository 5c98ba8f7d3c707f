"""How the cause was looked for: experiments on copies, hypotheses, and each step of the reasoning."""

import math

from firstlight.diagnosis.causes import BY_SLUG
from firstlight.facts.contrast import level
from firstlight.records.chronicle import Chronicle
from firstlight.records.report import Hypothesis, Inference, Report
from firstlight.report.html import plots
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import figure, section, table
from firstlight.report.html.plots import Plot

LEAST_SHIFT = 0.005
"""A change of belief below half a percent is not told."""


def experiments(chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    plot = plots.experiments(chronicle)
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
        table(("copy", "question", "loss at first", "at last"), rows, "experiments"),
        note="Copies of the program, forked at its first batch: same weights, same data, one thing changed.",
    )


def diagnosis(report: Report, drawn: dict[str, Plot]) -> Markup | None:
    if not report.diagnosis:
        return None
    cards = [_suspect(hypothesis) for hypothesis in report.diagnosis]
    reasoned = [step for step in report.reasoning if step.beliefs]
    plot = None
    if len(reasoned) > 1:
        causes = [hypothesis.cause for hypothesis in report.diagnosis]
        drawn["beliefs"] = plots.beliefs(causes, [step.beliefs for step in reasoned])
        plot = figure("beliefs", drawn["beliefs"])
    note = "Which cause explains what was seen. Several may be there at once."
    return section("diagnosis", "Diagnosis", tag("ol", cards, class_="suspects"), plot, _trail(report), note=note)


def _suspect(found: Hypothesis) -> Markup:
    percent = f"{found.probability:.0%}"
    bar = tag("meter", percent, min="0", max="1", value=f"{found.probability:.4f}", aria_label="probability")
    proven = tag("span", "proven", class_="badge proven") if found.verified else None
    role = tag("span", found.role, class_="badge role") if found.role else None
    head = tag("p", tag("strong", percent, class_="percent"), tag("code", found.cause), role, proven, class_="marks")
    rows = [
        ("for", ", ".join((*found.because, *found.for_it))),
        ("against", ", ".join(found.against_it)),
        ("rule out", found.falsifier or ""),
        ("fix", found.fix or ""),
    ]
    told = [tag("div", tag("dt", label), tag("dd", prose(words))) for label, words in rows if words]
    meaning = tag("p", BY_SLUG[found.cause].meaning, class_="faint") if found.cause in BY_SLUG else None
    return tag("li", head, bar, meaning, tag("dl", told, class_="told") if told else None, class_="card suspect")


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
