"""The report: the one contract other programs read (`firstlight schema report`)."""

from enum import StrEnum
from typing import Literal

import msgspec

from firstlight.records.assurance import Assurance
from firstlight.records.finding import Finding, Scalar
from firstlight.records.mutants import Mutant
from firstlight.records.tables import TableSeen

REPORT_SCHEMA: Literal["firstlight.report/1"] = "firstlight.report/1"


class Verdict(StrEnum):
    CLEAN = "clean"
    WARN = "warn"
    ILL = "ill"
    UNJUDGED = "unjudged"


class Status(StrEnum):
    ILL = "ill"
    CLEAN = "clean"
    SKIPPED = "skipped"
    CRASHED = "crashed"


class CheckOutcome(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    status: Status
    seconds: float
    """For a declared experiment, of the probe behind it."""
    reason: str | None = None
    """Why it was skipped, how it crashed, or why it is clean though it found something."""
    probe: str | None = None
    typical_seconds: float | None = None
    most_seconds: float | None = None


class Hypothesis(msgspec.Struct, frozen=True, kw_only=True):
    cause: str
    category: str
    probability: float
    verified: bool = False
    because: tuple[str, ...] = ()
    role: str | None = None
    """From `diagnose`: `likely`, `subtle`, `null` or `further`."""
    credence: str | None = None
    for_it: tuple[str, ...] = ()
    """Observations that speak for it, and below, against it."""
    against_it: tuple[str, ...] = ()
    falsifier: str | None = None
    """The cheapest test that would rule it out."""
    fix: str | None = None


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    kind: str
    """`script`, `experiment`, `sources`, `log`, `tables`, or `run` for one that was guarded."""
    command: tuple[str, ...]
    file: str | None = None
    run: str | None = None
    """Run directory, relative to the working directory of the command."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What the verdict rests on, and what it does not say."""

    steps: int = 0
    seconds: float = 0.0
    ended: str = ""
    """Why the observation ended, in words."""
    fault: str | None = None
    """What the script ended with because of us: without us it does not. Nothing was judged then, exit code 3."""
    held_back: tuple[str, ...] = ()
    """Files the script wrote that were kept out of the user's directories: the first few of them."""
    held_back_count: int = 0
    """How many there were."""
    floor: str | None = None
    """What the kernel held back beneath the patched layers: `view`, `landlock N`, both, or `none`; absent where nothing
    was contained."""
    started: tuple[str, ...] = ()
    """Programs the script started."""
    reached: tuple[str, ...] = ()
    """Hosts beyond this machine that it connected to, as far as Python did."""
    experiments: tuple[str, ...] = ()
    """Copies of the program that were run with one thing changed."""
    engine: str | None = None
    """How they were made: `fork`, copied at the first batch; `fresh` or `ray`, run again from the beginning."""
    engine_reason: str | None = None
    """Why not by fork, where that was tried first."""
    suppressed: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    """What a clean verdict does not mean."""


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of the user's source around a finding, as they were when it was judged."""

    file: str
    first: int
    """Number of the first line."""
    lines: tuple[str, ...]
    cell: int | None = None
    """Of a notebook; lines then count within it."""


class Inference(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a diagnosis, and what was believed once it was made."""

    kind: str
    """`began`, `known`, `observed`, `found`, `hinted`, `repaired`, `chose`, `stopped` or
    `concluded`."""
    what: str
    why: str = ""
    beliefs: dict[str, float] = {}
    """Probability of each cause the diagnosis names; empty where the step changed none."""


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    started: str
    seconds: float
    startup_seconds: float | None = None
    """From launch to the first training step."""
    observed_seconds: float | None = None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    schema: Literal["firstlight.report/1"]
    subject: Subject
    verdict: Verdict
    findings: tuple[Finding, ...]
    diagnosis: tuple[Hypothesis, ...]
    checks: tuple[CheckOutcome, ...]
    coverage: Coverage
    timing: Timing
    environment: dict[str, Scalar]
    reason: str | None = None
    """Why nothing could be judged, when the verdict is `unjudged`; why little was, when nothing was trained; of curves,
    what they show."""
    assurance: Assurance | None = None
    """What the verdict is worth; None where nothing was run."""
    trail: tuple[str, ...] = ()
    """How the diagnosis came about, step by step."""
    reasoning: tuple[Inference, ...] = ()
    """The same for programs to read."""
    excerpts: tuple[Excerpt, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    """From `mutate`: faults that were planted in copies of the program, and whether they were caught."""
    tables: tuple[TableSeen, ...] = ()
    """From `data`: each split with its columns."""
    output_tail: tuple[str, ...] = ()
    """The end of the script's own output, when it crashed."""
