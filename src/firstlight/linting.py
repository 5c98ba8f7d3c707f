"""Composition root for sources: reads and follows each file, judges it, and reports. Runs nothing of theirs."""

import hashlib
import platform
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from firstlight import __version__
from firstlight.checks.declare import Check
from firstlight.errors import UnreadableError
from firstlight.facts.from_source import from_source
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.findings import baseline
from firstlight.findings.judge import Judgement, judge
from firstlight.findings.suppress import allowance_in
from firstlight.judge.report import report as made
from firstlight.judge.report import timing_since
from firstlight.observe.source.excerpts import excerpts
from firstlight.observe.source.following import source_file
from firstlight.observe.source.notebook import cell_and_line
from firstlight.observe.source.project import Project, shown
from firstlight.observe.source.reading import LARGEST_BYTES, Parsed
from firstlight.records.facts import CheckCrash
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import CheckOutcome, Coverage, Report, Status, Subject
from firstlight.records.source import Problem, SourceFile
from firstlight.store import plain_files
from firstlight.store.lint_cache import ABSENT, Entry, LintCache

FILES_PER_TASK = 8
WORTH_A_PROCESS = 24
"""Fewer files than this are done before a second process has started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    findings: tuple[Finding, ...]
    allowed: tuple[str, ...]
    files: int
    cached: int
    seconds: float
    unread: tuple[str, ...] = ()
    """Files of which nothing, or not all, was judged, with the reason."""
    judged: int = 0
    """Files of which something was."""


class Linter:
    """Judges files one by one; what several of them import is read once."""

    def __init__(self, checks: Sequence[Check], base: Path) -> None:
        self._checks = tuple(check for check in checks if check.needs in READ_FROM_SOURCE or check.needs is CheckCrash)
        self._base = base.resolve()
        self._project = Project(self._base)
        self._digests: dict[Path, str] = {}

    def entry(self, path: Path, data: bytes) -> Entry:
        self._project.begin()
        return self._entry(path, *source_file(path, self._base, data, self._project), data)

    def unread(self, path: Path, why: str) -> Entry:
        """Of a file that could not even be opened."""
        source = SourceFile(path=shown(path.resolve(), self._base), problem=Problem(line=1, what=why))
        self._project.begin()
        return msgspec.structs.replace(self._entry(path, source, Parsed(), b""), digest=ABSENT)

    def _entry(self, path: Path, source: SourceFile, parsed: Parsed, data: bytes) -> Entry:
        judged = judge(self._checks, from_source(source), trained=True)
        kept: list[Finding] = []
        allowed: list[str] = []
        own_lines = tuple(parsed.text.split("\n"))
        for finding in _once(judged.findings):
            home = finding.where.file == source.path
            lines = own_lines if home else self._project.lines(finding.where.file or "")
            allowance = allowance_in(lines, finding.where.line)
            if allowance is not None and allowance.covers(finding):
                reason = f": {allowance.reason}" if allowance.reason else ""
                allowed.append(f"{finding.id} {finding.name} at {finding.where.file}:{finding.where.line}{reason}")
                continue
            kept.append(_placed(finding, lines, parsed.cell_starts if home else ()))
        own = path.resolve()
        rests_on = {str(other): self._digest(other) for other in self._project.asked if other != own}
        return Entry(
            digest=hashlib.blake2b(data, digest_size=16).hexdigest(),
            findings=tuple(kept),
            allowed=tuple(allowed),
            rests_on=rests_on,
            notebook=source.notebook,
            unread=source.cut if source.problem is None else source.problem.what,
            judged=source.problem is None,
        )

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            try:
                data = plain_files.contents(path, LARGEST_BYTES, follow=True)
                self._digests[path] = hashlib.blake2b(data, digest_size=16).hexdigest()
            except UnreadableError:
                self._digests[path] = ABSENT
        return self._digests[path]


def facts_of(path: Path, base: Path) -> tuple[Any, ...]:
    """What the checks of sources judge in one file, and the files of the same program that it was followed into.

    What happens in those was followed from the first one, so they are given as they are. Nothing where the first one
    cannot be read or followed.
    """
    project = Project(base.resolve())
    found = _source_of(path, base, project)
    if found is None:
        return ()
    own = path.resolve()
    others = [other for other in sorted(project.asked) if other != own and other.is_file()][:MOST_IMPORTED]
    sources = [_source_of(other, base, project) for other in others]
    return (*from_source(found), *(source for source in sources if source is not None))


MOST_IMPORTED = 16


def _source_of(path: Path, base: Path, project: Project) -> SourceFile | None:
    try:
        data = plain_files.contents(path, LARGEST_BYTES, follow=True)
    except UnreadableError:
        return None
    source, _ = source_file(path, base, data, project)
    return source if source.problem is None else None


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """A line reached in several ways is one finding."""
    found: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        found.setdefault((finding.id, finding.where.file, finding.where.line), finding)
    return list(found.values())


def _placed(finding: Finding, lines: tuple[str, ...], cell_starts: tuple[int, ...]) -> Finding:
    line = finding.where.line or 1
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    told = {**finding.evidence, "fingerprint": baseline.fingerprint(finding, text)}
    if former := baseline.former_fingerprints(finding, text):
        told[baseline.FORMERLY] = former
    if not cell_starts:
        return msgspec.structs.replace(finding, evidence=told)
    cell, inner = cell_and_line(cell_starts, line)
    where = msgspec.structs.replace(finding.where, cell=cell, line=inner)
    return msgspec.structs.replace(finding, where=where, evidence=told, edits=())


def lint(files: Sequence[Path], checks: Sequence[Check], base: Path, cache_folder: Path | None, jobs: int) -> Linted:
    begun = time.monotonic()
    cache = LintCache(cache_folder, _stamp(checks, base))
    entries = {path: cache.get(path.resolve()) for path in files}
    missing = [path for path, entry in entries.items() if entry is None]
    for path, entry in _judged(missing, checks, base, jobs):
        entries[path] = entry
        cache.put(path.resolve(), entry)
    cache.save()
    wanted = {_shown(path, base) for path in files}
    found = [finding for entry in entries.values() if entry for finding in entry.findings]
    ordered = sorted(_once(f for f in found if f.where.file in wanted), key=_place)
    return Linted(
        findings=tuple(ordered),
        allowed=tuple(dict.fromkeys(line for entry in entries.values() if entry for line in entry.allowed)),
        files=len(files),
        cached=len(files) - len(missing),
        seconds=time.monotonic() - begun,
        unread=tuple(
            f"{_shown(path, base)}: {entry.unread}" for path, entry in entries.items() if entry and entry.unread
        ),
        judged=sum(entry is not None and entry.judged for entry in entries.values()),
    )


def _shown(path: Path, base: Path) -> str:
    whole, root = path.resolve(), base.resolve()
    return whole.relative_to(root).as_posix() if root in whole.parents else str(whole)


def _place(finding: Finding) -> tuple[object, ...]:
    where = finding.where
    return where.file or "", where.cell or 0, where.line or 0, finding.id


def _judged(files: Sequence[Path], checks: Sequence[Check], base: Path, jobs: int) -> Iterable[tuple[Path, Entry]]:
    if jobs == 1 or len(files) < WORTH_A_PROCESS:
        yield from _batch(files, checks, base)
        return
    # Neighbours import the same modules, so they go to the same process.
    batches = [files[start : start + FILES_PER_TASK] for start in range(0, len(files), FILES_PER_TASK)]
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(tuple(checks), base)) as pool:
        for done in pool.map(_in_worker, batches):
            yield from done


_LINTER: list[Linter] = []
"""One to a worker process."""


def _start(checks: tuple[Check, ...], base: Path) -> None:
    _LINTER.append(Linter(checks, base))


def _in_worker(files: Sequence[Path]) -> list[tuple[Path, Entry]]:
    return [(path, _entry(_LINTER[0], path)) for path in files]


def _batch(files: Sequence[Path], checks: Sequence[Check], base: Path) -> list[tuple[Path, Entry]]:
    linter = Linter(checks, base)
    return [(path, _entry(linter, path)) for path in files]


def _entry(linter: Linter, path: Path) -> Entry:
    try:
        data = plain_files.contents(path, LARGEST_BYTES, follow=True)
    except UnreadableError as error:
        return linter.unread(path, str(error).removeprefix(f"{path} "))
    return linter.entry(path, data)


def _stamp(checks: Sequence[Check], base: Path) -> str:
    """Changes whenever the same file could be judged differently."""
    package = Path(__file__).parent
    own = sorted(
        [*package.glob("observe/source/*.py"), *package.glob("checks/source/*.py"), *package.glob("*/*source*.py")]
    )
    told = [__version__, platform.python_version(), str(base.resolve())]
    told += [f"{path.name}:{path.stat().st_mtime_ns}:{path.stat().st_size}" for path in own]
    told += [f"{check.id}:{check.severity}:{check.limits}" for check in checks]
    return hashlib.blake2b("\n".join(told).encode(), digest_size=16).hexdigest()


def report(linted: Linted, findings: tuple[Finding, ...], checks: Sequence[Check], words: tuple[str, ...]) -> Report:
    ill = {finding.id for finding in findings}
    judged = [check for check in checks if check.needs in READ_FROM_SOURCE]
    outcomes = tuple(
        CheckOutcome(id=c.id, name=c.name, status=Status.ILL if c.id in ill else Status.CLEAN, seconds=0.0)
        for c in judged
    )
    judged_so = made(
        Subject(kind="sources", command=("lint", *words)),
        Judgement(findings, outcomes),
        Coverage(
            seconds=round(linted.seconds, 3),
            ended=_told(linted),
            suppressed=linted.allowed,
            limits=(*(f"not read: {one}" for one in linted.unread), NOTHING_RUN),
        ),
        timing_since(time.monotonic() - linted.seconds),
        None if linted.judged else _reason(findings, linted),
    )
    return msgspec.structs.replace(
        judged_so, reason=_reason(findings, linted), excerpts=excerpts(findings, Path.cwd(), map(Path, words))
    )


NOTHING_RUN = "sources were read and nothing was run; `firstlight check` watches the program itself"


def _told(linted: Linted) -> str:
    unread = f"; {len(linted.unread)} not, or not whole" if linted.unread else ""
    return f"{linted.judged} files read, {linted.cached} of them unchanged since the last time{unread}"


def _reason(findings: tuple[Finding, ...], linted: Linted) -> str | None:
    """Said in the first line where the verdict alone would say too much."""
    if not linted.files:
        return "no Python file or notebook was found there"
    if not linted.unread:
        return None
    more = f" and {len(linted.unread) - 1} more" if len(linted.unread) > 1 else ""
    told = f"not read: {linted.unread[0]}{more}"
    if not linted.judged:
        return f"nothing could be read; {told}"
    loud = any(finding.severity is not Severity.NOTE for finding in findings)
    return None if loud else f"nothing found in what was read; {told}"
