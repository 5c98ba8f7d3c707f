"""What a clean verdict is worth, for a person at a terminal: the answer, then each planted fault by its flow."""

import textwrap
from collections.abc import Iterator

from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.printable import printable_record
from firstlight.records.report import Report
from firstlight.report.screen import screen_width
from firstlight.report.terminal import Paint, page

STYLES = {Outcome.CAUGHT: "clean", Outcome.MISSED: "ill"}
ASIDE = {
    Outcome.HARMLESS: "harmless here",
    Outcome.CRASHED: "crash on their own",
    Outcome.NOT_APPLICABLE: "not applicable",
    Outcome.UNJUDGED: "not judged",
}
"""What neither speaks for the checks nor against them."""
INDENT = 4


def headline(report: Report) -> str:
    counted = of_flow(report.mutants)
    caught = [mutant for mutant in counted if mutant.outcome is Outcome.CAUGHT]
    named = sum(mutant.right for mutant in caught)
    subject = " ".join(report.subject.command)
    if not counted:
        return f"none of the planted faults says anything about a clean verdict on {subject}"
    return (
        f"a check of {subject} catches {len(caught)} of {len(counted)} planted faults, "
        f"{named} of them with the right cause"
    )


def of_flow(mutants: tuple[Mutant, ...], flow: str | None = None) -> list[Mutant]:
    """Those that count, of one flow or of all, what was missed last."""
    counted = [one for one in mutants if one.outcome in STYLES and flow in (None, one.flow)]
    return sorted(counted, key=lambda one: one.outcome is Outcome.MISSED)


def flows(report: Report) -> Iterator[tuple[str, list[Mutant]]]:
    for flow in dict.fromkeys(mutant.flow for mutant in report.mutants):
        if counted := of_flow(report.mutants, flow):
            yield flow, counted


def verdict_on(mutant: Mutant) -> str:
    """What was said of it, or why nothing was."""
    if mutant.outcome is not Outcome.CAUGHT:
        return mutant.reason
    wrong = "" if mutant.right else f", where {' or '.join(mutant.causes)} was planted"
    return f"{mutant.told} ({mutant.cause}{wrong})"


def render(report: Report, colour: bool) -> str:
    report, paint, columns = printable_record(report), Paint(colour), screen_width()
    lines = [*(paint("bold", line) for line in textwrap.wrap(headline(report), columns)), ""]
    name_width = max(len(mutant.fault) for mutant in report.mutants)
    for flow, mutants in flows(report):
        caught = sum(mutant.outcome is Outcome.CAUGHT for mutant in mutants)
        lines.append(f"{paint('bold', flow)}: {caught} of {len(mutants)}")
        for mutant in mutants:
            lines += _row(mutant, name_width, paint, columns)
    lines += [""]
    for outcome, label in ASIDE.items():
        lines += _aside(label, [one for one in report.mutants if one.outcome is outcome], columns)
    lines += [f"kept in: {report.subject.run}", f"page: {page(report.subject)}"] if report.subject.run else []
    return "\n".join(lines) + "\n"


def _row(mutant: Mutant, name_width: int, paint: Paint, columns: int) -> Iterator[str]:
    outcome = paint(STYLES[mutant.outcome], f"{mutant.outcome.value:6}")
    yield f"  {outcome}  {mutant.fault:{name_width}}  {paint('dim', mutant.does)}"
    indent = " " * (10 + INDENT)
    yield from textwrap.wrap(verdict_on(mutant), columns, initial_indent=indent, subsequent_indent=indent)


def _aside(label: str, mutants: list[Mutant], columns: int) -> list[str]:
    told = [
        mutant.fault if mutant.outcome is Outcome.HARMLESS else f"{mutant.fault} ({mutant.reason})"
        for mutant in mutants
    ]
    return textwrap.wrap(f"{label}: {', '.join(told)}", columns, subsequent_indent=" " * INDENT) if told else []
