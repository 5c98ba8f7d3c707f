"""The report for a person at a terminal: the finding first, then what the verdict rests on."""

import linecache
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from firstlight.diagnosis.rank import LEAST_PROBABLE
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.printable import printable, printable_record
from firstlight.records.report import CheckOutcome, Coverage, Excerpt, Hypothesis, Report, Status, Subject, Verdict
from firstlight.report.assurance import further_witnesses, rows
from firstlight.report.screen import COLOURS, MOST_NOTES, WIDEST, screen_width

LABEL = 9
ROLES = ("likely", "subtle", "null")
"""Of a diagnosis, what is shown, in this order."""
WORTH_WORDS = 0.45
"""Probability from which on words are put to it: the first among many is not yet likely."""
MOST_HELD = 3
MOST_SKIPPED = 6
MOST_TIMED = 3


class Paint:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{COLOURS[style]}m{text}\x1b[0m" if self._colour else text


def wants_colour(stream: IO[str]) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def render(report: Report, colour: bool, width: int | None = None) -> str:
    report, paint = printable_record(report), Paint(colour)
    columns = min(width, WIDEST) if width else screen_width()
    blocks = [_incident(finding, paint, columns, report.excerpts) for finding in _shown(report)]
    if report.output_tail:
        blocks.append(_output(report, paint))
    suspects = [s for s in report.diagnosis if s.role in ROLES and (s.verified or s.probability >= LEAST_PROBABLE)]
    blocks += [_hypothesis(s, paint, columns) for s in sorted(suspects, key=lambda s: ROLES.index(s.role or ""))]
    blocks.append(_verdict(report, paint, columns))
    return "\n\n".join(blocks) + "\n"


def _shown(report: Report) -> Iterator[Finding]:
    notes = 0
    for finding in report.findings:
        notes += finding.severity is Severity.NOTE
        if finding.severity is not Severity.NOTE or notes <= MOST_NOTES:
            yield finding


def incident(finding: Finding, colour: bool) -> str:
    """One finding by itself, as it is made: the line it names is shown as it stands now."""
    finding, where = printable_record(finding), finding.where
    line = linecache.getline(where.file, where.line) if where.file and where.line and "\0" not in where.file else ""
    now = Excerpt(file=finding.where.file or "", first=where.line or 0, lines=(printable(line),))
    return _incident(finding, Paint(colour), screen_width(), (now,))


def _incident(finding: Finding, paint: Paint, columns: int, excerpts: tuple[Excerpt, ...]) -> str:
    head = f"{finding.severity.value}[{finding.id}] {finding.name}: "
    first = textwrap.wrap(head + finding.summary, columns)
    painted = paint(finding.severity.value, head[: len(head) - 2]) + paint("bold", first[0][len(head) - 2 :])
    lines = [painted, *(paint("bold", line) for line in first[1:])]
    lines += _row("where", _place(finding), paint, columns)
    lines += _source(_line(finding.where, excerpts), paint, columns)
    for label, text in (
        ("saw", finding.saw),
        ("wanted", finding.wanted),
        ("likely", finding.likely),
        ("do", finding.do),
    ):
        lines += _row(label, text, paint, columns)
    for text in further_witnesses(finding):
        lines += _row("also", text, paint, columns)
    lines += _row("more", f"firstlight explain {finding.id}", paint, columns)
    return "\n".join(lines)


def _place(finding: Finding) -> str:
    where = finding.where
    parts = [where.place] if where.file else []
    if where.module:
        parts.append(where.module)
    if where.step is not None:
        parts.append(f"step {where.step}")
    if where.rank:
        parts.append(f"rank {where.rank}")
    if finding.count > 1:
        parts.append(f"and {finding.count - 1} more like it")
    return " · ".join(parts) or "the whole run"


def _line(where: Where, excerpts: tuple[Excerpt, ...]) -> str:
    """As it was when it was judged. What a report only names is not read: it may name any file."""
    if where.line is None or where.cell is not None:
        return ""
    for excerpt in excerpts:
        if excerpt.file == where.file and 0 <= where.line - excerpt.first < len(excerpt.lines):
            return excerpt.lines[where.line - excerpt.first]
    return ""


def _source(line: str, paint: Paint, columns: int) -> list[str]:
    text = line.strip()
    return [paint("dim", f"{'':{LABEL + 2}}{text}"[:columns])] if text else []


def _row(label: str, text: str, paint: Paint, columns: int) -> list[str]:
    wrapped = textwrap.wrap(text, max(30, columns - LABEL - 2), break_long_words=False, break_on_hyphens=False) or [""]
    first = f"  {paint('dim', f'{label:<{LABEL}}')}{wrapped[0]}"
    return [first, *(f"{'':{LABEL + 2}}{line}" for line in wrapped[1:])]


def _hypothesis(suspect: Hypothesis, paint: Paint, columns: int) -> str:
    """Of a diagnosis: what may be wrong, how likely, what speaks for and against it, and what would rule it out."""
    proven = ", proven" if suspect.verified else ""
    words = f", {suspect.credence}" if suspect.probability >= WORTH_WORDS else ""
    share = f"{suspect.probability:.0%}{words}{proven}"
    lines = [f"{paint('bold', f'{suspect.role}: {suspect.cause}')} ({share})"]
    for label, text in (
        ("for", ", ".join((*suspect.because, *suspect.for_it[:4]))),
        ("against", ", ".join(suspect.against_it[:3])),
        ("rule out", suspect.falsifier or ""),
        ("fix", suspect.fix or "rule out the bugs above first; then look at settings"),
    ):
        lines += _row(label, text, paint, columns) if text else []
    return "\n".join(lines)


def _output(report: Report, paint: Paint) -> str:
    head = paint("bold", "the end of the script's output")
    return "\n".join([head, *(paint("dim", "  | ") + line for line in report.output_tail)])


def _verdict(report: Report, paint: Paint, columns: int) -> str:
    counts = [_count(report, Severity.ERROR), _count(report, Severity.WARNING), _count(report, Severity.NOTE)]
    told = ", ".join(count for count in counts if count) or "nothing found"
    if report.reason and (report.verdict is Verdict.CLEAN or not any(counts)):
        told = f"{report.reason}{f' ({told})' if told != 'nothing found' else ''}"
    subject = " ".join(report.subject.command)
    if report.verdict is Verdict.UNJUDGED:
        told = report.reason or "nothing could be judged"
    head = f"{report.verdict.value}: {told}"
    first, *rest = textwrap.wrap(head, columns) or [head]
    mark = len(report.verdict.value)
    lines = [paint(report.verdict.value, first[:mark]) + first[mark:], *rest]
    lines += _row("program", subject, paint, columns)
    took = f" in {report.coverage.seconds:.1f} s" if report.coverage.seconds else ""
    steps = f"{report.coverage.steps} steps{took}; {report.coverage.ended}"
    lines += _row("watched", steps, paint, columns)
    judged = report.verdict is not Verdict.UNJUDGED
    for label, text in (
        *(rows(report.assurance) if judged else ()),
        ("causes", _causes(report)),
        ("checked", _checked(report.checks) if judged and report.checks else ""),
        ("timed", _timed(report.checks) if judged else ""),
        ("tried", _tried(report.coverage) if judged else ""),
        ("held", _held(report.coverage)),
        ("floor", report.coverage.floor or ""),
        ("started", ", ".join(report.coverage.started)),
        ("allowed", "; ".join(report.coverage.suppressed)),
        ("unsaid", "; ".join(report.coverage.limits) if judged else ""),
        ("kept in", report.subject.run or ""),
        ("page", page(report.subject)),
    ):
        lines += _row(label, text, paint, columns) if text else []
    return "\n".join(lines)


def _count(report: Report, severity: Severity) -> str:
    count = sum(finding.severity is severity for finding in report.findings)
    return f"{count} {severity.value}{'s' if count > 1 else ''}" if count else ""


def page(subject: Subject) -> str:
    """How its page is had. The newest run here needs no name; one that could not be kept here does."""
    if subject.run is None or subject.kind == "log":
        return ""
    if subject.kind != "run":
        return f"{subject.run}/report.html"
    return f"firstlight report --open {subject.run}" if Path(subject.run).is_absolute() else "firstlight report --open"


def _causes(report: Report) -> str:
    named = [hypothesis for hypothesis in report.diagnosis if hypothesis.role is None]
    return ", ".join(f"{h.cause} {h.probability:.0%}{_because(h)}" for h in named[:3])


def _because(one: Hypothesis) -> str:
    return f" ({', '.join(one.because)})" if one.because else ""


def _tried(coverage: Coverage) -> str:
    if not coverage.experiments:
        return ""
    why = f", because {coverage.engine_reason}" if coverage.engine_reason else ""
    how = f" ({MADE[coverage.engine]}{why})" if coverage.engine in MADE else ""
    return ", ".join(coverage.experiments) + how


MADE = {"fork": "forked at the first batch", "fresh": "fresh runs of the script", "ray": "fresh runs as Ray tasks"}


def _held(coverage: Coverage) -> str:
    named = coverage.held_back[:MOST_HELD]
    if not named:
        return ""
    left = max(coverage.held_back_count, len(coverage.held_back)) - len(named)
    return f"back from your directories: {', '.join(named)}{f' and {left} more' if left else ''}"


def _timed(outcomes: tuple[CheckOutcome, ...]) -> str:
    """The slowest probes against what they usually take."""
    probes = {outcome.probe: outcome for outcome in outcomes if outcome.probe is not None}
    slowest = sorted(probes.values(), key=lambda outcome: -outcome.seconds)[:MOST_TIMED]
    return "; ".join(
        f"{o.probe} {o.seconds:.1f} s (typically {o.typical_seconds:g}, at most {o.most_seconds:g})" for o in slowest
    )


def _checked(outcomes: tuple[CheckOutcome, ...]) -> str:
    clean = sum(outcome.status is Status.CLEAN for outcome in outcomes)
    skipped: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.status is Status.SKIPPED:
            skipped.setdefault(outcome.reason or "", []).append(outcome.id)
    reasons = [f"{' '.join(ids)} ({reason})" for reason, ids in skipped.items()]
    counts = [len(ids) for ids in skipped.values()]
    told = reasons[:MOST_SKIPPED]
    told += [f"and {sum(counts[MOST_SKIPPED:])} more for other reasons"] if len(reasons) > MOST_SKIPPED else []
    tail = f"; {sum(counts)} not run: {'; '.join(told)}" if reasons else ""
    return f"{clean} of {len(outcomes)} checks clean{tail}"
