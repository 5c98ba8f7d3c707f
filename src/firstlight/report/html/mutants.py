"""Faults that were planted in copies of the program, and whether a check tells them: what a clean verdict is worth."""

from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.report import Report
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.parts import section, table
from firstlight.report.mutants import ASIDE, flows, headline, verdict_on

BADGES = {Outcome.CAUGHT: "clean", Outcome.MISSED: "ill"}


def mutants(report: Report) -> Markup | None:
    if not report.mutants:
        return None
    counted = [mutant for _, found in flows(report) for mutant in found]
    others = [mutant for mutant in report.mutants if mutant.outcome in ASIDE]
    shares = ", ".join(f"{flow} {share:.0%}" for flow, share in _shares(report).items())
    summary = tag("summary", f"Faults that do not count: {len(others)}")
    return section(
        "mutants",
        "Planted faults",
        table(("flow", "fault", "outcome", "what was reported"), [_row(one) for one in counted], "planted faults"),
        tag("details", summary, table(("flow", "fault", "", "why"), [_row(one) for one in others], "other faults"))
        if others
        else None,
        note=f"{headline(report)[:1].upper()}{headline(report)[1:]}. {shares}",
    )


def _shares(report: Report) -> dict[str, float]:
    return report.assurance.sensitivity if report.assurance is not None else {}


def _row(mutant: Mutant) -> list[object]:
    label = ASIDE.get(mutant.outcome, mutant.outcome.value)
    outcome = tag("span", label, class_=f"badge {BADGES.get(mutant.outcome, 'skipped')}")
    name = [tag("code", mutant.fault), tag("p", prose(mutant.does), class_="faint")]
    return [mutant.flow, name, outcome, prose(verdict_on(mutant))]
