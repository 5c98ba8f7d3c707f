"""Markdown, for comments on pull requests and for agents: the verdict, each finding with its line, what was not run.

What a program says is quoted, never interpreted: no HTML, links, images, mentions or issue references come of it.
"""

import re

from firstlight.records.finding import Finding, Severity
from firstlight.records.printable import printable_record
from firstlight.records.report import Excerpt, Hypothesis, Report, Status, Verdict
from firstlight.report import mutants
from firstlight.report.assurance import further_witnesses, rows
from firstlight.report.screen import MOST_NOTES

SIGNS = {Verdict.ILL: "❌", Verdict.WARN: "⚠️", Verdict.CLEAN: "✅", Verdict.UNJUDGED: "❔"}
CODE = re.compile(r"`([^`\n]+)`")
SPECIAL = re.compile(r"([\\`*\[\]|~]|(?<!\w)_|_(?!\w))")
REFERENCE = re.compile(r"#(?=\d)")
"""To an issue."""
RUNS = re.compile("`+")
MOST_FINDINGS = 25
AROUND = 2
"""Lines of source on each side; a comment has less room than a page."""


def render(report: Report) -> str:
    report = printable_record(report)
    blocks = [_verdict(report), *(_finding(place, one, report) for place, one in enumerate(_shown(report), 1))]
    left = len(report.findings) - len(_shown(report))
    blocks += [f"{left} more findings are in the full report."] if left else []
    suspects = [found for found in report.diagnosis if found.role is not None]
    blocks += [_diagnosis(suspects)] if suspects else []
    blocks += [_mutants(report)] if report.mutants else []
    blocks += [f"### The end of the script's output\n\n{fenced(report.output_tail, '')}"] if report.output_tail else []
    return "\n\n".join([*blocks, _grounds(report)]) + "\n"


def _mutants(report: Report) -> str:
    """Those that count, what was missed first."""
    rows = [
        f"| {one.flow} | {code(one.fault)} | {one.outcome.value} | {prose(mutants.verdict_on(one))} |"
        for one in reversed(mutants.of_flow(report.mutants))
    ]
    head = f"### Planted faults\n\n{prose(mutants.headline(report))}"
    return "\n".join([head, "", "| flow | fault | outcome | what was reported |", "|---|---|---|---|", *rows])


def escaped(plain: str) -> str:
    """Shown as it is, and still readable before it is rendered: only what has a meaning in its place is escaped."""
    named = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    named = REFERENCE.sub("&#35;", SPECIAL.sub(r"\\\1", named))
    for live, dead in (("://", ":&#47;&#47;"), ("www.", "www&#46;"), ("@", "&#64;")):
        named = named.replace(live, dead)
    return named


def prose(plain: str) -> str:
    """A message of ours, in which backticks mark code; on one line."""
    parts = CODE.split(" ".join(plain.split()))
    return "".join(code(part) if place % 2 else escaped(part) for place, part in enumerate(parts))


def code(plain: str) -> str:
    flat = " ".join(plain.split()) or " "
    fence = "`" * (max((len(run) for run in RUNS.findall(flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def fenced(lines: tuple[str, ...] | list[str], language: str) -> str:
    longest = max((len(run) for line in lines for run in RUNS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *(line.replace("\r", "") for line in lines), fence])


def _shown(report: Report) -> list[Finding]:
    notes = [finding for finding in report.findings if finding.severity is Severity.NOTE][:MOST_NOTES]
    return [one for one in report.findings if one.severity is not Severity.NOTE or one in notes][:MOST_FINDINGS]


def _verdict(report: Report) -> str:
    counts = []
    for severity in Severity:
        count = sum(finding.severity is severity for finding in report.findings)
        counts += [f"{count} {severity.value}{'s' if count > 1 else ''}"] if count else []
    told = prose(report.reason) if report.reason else ", ".join(counts) or "nothing found"
    head = f"## {SIGNS[report.verdict]} firstlight: {report.verdict.value}: {told}"
    steps = f"{report.coverage.steps} steps watched, " if report.coverage.steps else ""
    sure = [f"- **{label}** {prose(text)}" for label, text in rows(report.assurance)]
    told = f"{head}\n\n{code(' '.join(report.subject.command))} · {steps}{report.timing.seconds:.1f} s"
    return "\n".join([told, "", *sure]) if sure and report.verdict is not Verdict.UNJUDGED else told


def _finding(number: int, finding: Finding, report: Report) -> str:
    proven = ", proven" if finding.verified else ""
    lines = [f"### {number}. {finding.severity.value} {finding.id} {finding.name}{proven}", ""]
    lines += [f"**{prose(finding.summary)}**", "", f"{_place(finding)}", ""]
    lines += [*_source(finding, report.excerpts)]
    for label, text in (
        ("saw", finding.saw),
        ("wanted", finding.wanted),
        ("likely", finding.likely),
        ("do", finding.do),
    ):
        lines.append(f"- **{label}** {prose(text)}")
    lines += [f"- **also** {prose(text)}" for text in further_witnesses(finding)]
    return "\n".join([*lines, f"- **more** `firstlight explain {finding.id}`"])


def _place(finding: Finding) -> str:
    where = finding.where
    parts = [code(where.place)] if where.file else []
    parts += [code(where.module)] if where.module else []
    parts += [f"step {where.step}"] if where.step is not None else []
    parts += [f"and {finding.count - 1} more like it"] if finding.count > 1 else []
    return " · ".join(parts) or "the whole run"


def _source(finding: Finding, excerpts: tuple[Excerpt, ...]) -> list[str]:
    where = finding.where
    for excerpt in excerpts:
        place = (where.line or 0) - excerpt.first
        if (excerpt.file, excerpt.cell) == (where.file, where.cell) and 0 <= place < len(excerpt.lines):
            start, end = max(0, place - AROUND), place + AROUND + 1
            shown = [
                f"{'>' if start + n == place else ' '} {excerpt.first + start + n:>4}  {line}"
                for n, line in enumerate(excerpt.lines[start:end])
            ]
            return [fenced(shown, "python"), ""]
    return []


def _diagnosis(suspects: list[Hypothesis]) -> str:
    lines = ["### Diagnosis", ""]
    for found in suspects:
        proven = ", proven" if found.verified else ""
        lines.append(f"- **{found.probability:.0%}** {code(found.cause)} ({found.role}{proven})")
        lines += [f"  - fix: {prose(found.fix)}"] if found.fix else []
        lines += [f"  - to rule it out: {prose(found.falsifier)}"] if found.falsifier else []
    return "\n".join(lines)


def _grounds(report: Report) -> str:
    clean = sum(outcome.status is Status.CLEAN for outcome in report.checks)
    skipped: dict[str, list[str]] = {}
    for outcome in report.checks:
        if outcome.status in (Status.SKIPPED, Status.CRASHED):
            skipped.setdefault(outcome.reason or outcome.status.value, []).append(outcome.id)
    count = sum(map(len, skipped.values()))
    lines = ["<details>", f"<summary>{clean} of {len(report.checks)} checks clean, {count} not run</summary>", ""]
    lines += [f"- {' '.join(ids)}: {prose(reason)}" for reason, ids in skipped.items()]
    lines += [f"- not covered: {prose(limit)}" for limit in report.coverage.limits]
    lines += [f"- kept in {code(report.subject.run)}"] if report.subject.run else []
    return "\n".join([*lines, "", "</details>"])
