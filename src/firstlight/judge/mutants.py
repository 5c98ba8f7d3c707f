"""Whether a planted fault was caught, and if not, why not."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pvariance

from firstlight.checks.catalogue import CATALOGUE
from firstlight.experiments.faults import FLOWS, Fault
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.records.finding import Finding, Severity
from firstlight.records.learning import CERTIFIED
from firstlight.records.mutants import Mutant, Outcome
from firstlight.records.report import CheckOutcome, Report, Status, Verdict

LEAST_STEPS = 8
"""A loss over fewer steps cannot be compared; the fault then counts."""
TAIL = 4
"""The last part of the steps, one in so many, is compared."""
NOISE = 2.0
"""Standard errors between two tails that are noise."""
SHARE = 0.05
"""Of what the program's own loss lost: less than that is no harm either."""
MOST_NAMED = 2
COUNTED = (Outcome.CAUGHT, Outcome.MISSED)


@dataclass(frozen=True, slots=True)
class Seen:
    """One run: what was judged, and its losses."""

    report: Report
    losses: tuple[float, ...]
    ended: str = ""
    """`finished`, `stopped`, `crashed` or `killed`."""
    planted: bool = True
    """The fault took effect."""


def mutant_of(fault: Fault, seen: Seen, program: Seen) -> Mutant:
    """`program` is the one without the fault."""
    outcome, reason = _outcome(fault, seen, program)
    first = next(iter(_new(seen.report, program.report)), None) if outcome is Outcome.CAUGHT else None
    tail = seen.losses[-_tail(len(seen.losses)) :]
    return Mutant(
        fault=fault.name,
        flow=fault.flow,
        does=fault.does,
        causes=fault.causes,
        outcome=outcome,
        told=None if first is None else f"{first.id} {first.name}{_place(first)}",
        cause=None if first is None else first.cause,
        right=first is not None and first.cause in fault.causes,
        reason=reason,
        first=seen.losses[0] if seen.losses else None,
        last=median(tail) if tail else None,
        seconds=round(seen.report.timing.seconds, 3),
    )


def _place(finding: Finding) -> str:
    where = finding.where
    return f" at {where.place}" if where.file else ""


def _outcome(fault: Fault, seen: Seen, program: Seen) -> tuple[Outcome, str]:
    if not seen.planted:
        return Outcome.NOT_APPLICABLE, f"the program has no {fault.needs}"
    if seen.ended in ("crashed", "killed") and program.ended not in ("crashed", "killed"):
        tail = seen.report.output_tail[-1:]
        return Outcome.CRASHED, "it makes this program crash" + "".join(f": {line}" for line in tail)
    if _new(seen.report, program.report):
        return Outcome.CAUGHT, ""
    if seen.report.verdict is Verdict.UNJUDGED:
        return Outcome.UNJUDGED, seen.report.reason or "it could not be judged"
    if fault.in_loss and not hurts(seen.losses, program.losses):
        return Outcome.HARMLESS, "the loss is no worse than without it"
    return Outcome.MISSED, "; ".join(_silence(fault, seen.report))


def _new(report: Report, program: Report) -> list[Finding]:
    """What is said aloud of a mutant and not of the program it was made of."""
    known = {(finding.id, finding.cause) for finding in _loud(program)}
    return [finding for finding in _loud(report) if (finding.id, finding.cause) not in known]


def _loud(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.severity is not Severity.NOTE]


def hurts(losses: Sequence[float], program: Sequence[float]) -> bool:
    """Whether a loss is clearly worse than that of the program after as many steps, as it is and by what it lost.

    Both, because some faults change only the unit in which a loss is counted, and others only where it begins.
    """
    steps = min(len(losses), len(program))
    if steps < LEAST_STEPS or not all(map(math.isfinite, (*losses[:steps], *program[:steps]))):
        return True
    return _is_worse(losses[:steps], program[:steps]) and _is_worse(_shares(losses[:steps]), _shares(program[:steps]))


def _shares(losses: Sequence[float]) -> list[float]:
    return [loss / (abs(losses[0]) or 1.0) for loss in losses]


def _is_worse(losses: Sequence[float], program: Sequence[float]) -> bool:
    count = _tail(len(program))
    one, other = program[-count:], losses[-count:]
    noise = NOISE * math.sqrt((pvariance(one) + pvariance(other)) / count)
    return fmean(other) - fmean(one) > max(noise, SHARE * abs(program[0] - fmean(one)))


def _tail(steps: int) -> int:
    return max(1, steps // TAIL)


def _silence(fault: Fault, report: Report) -> Iterator[str]:
    """Which checks might have told, and why they did not."""
    telling = {
        check.id for check in CATALOGUE if set(check.causes) & set(fault.causes) and check.needs not in READ_FROM_SOURCE
    }
    asked = [outcome for outcome in report.checks if outcome.id in telling]
    learns = report.assurance.learns if report.assurance is not None else None
    if learns is not None and learns.status == CERTIFIED and learns.first is not None and learns.last is not None:
        yield f"it learns anyway, {learns.first:.3g} → {learns.last:.3g}"
    if noted := [one for one in asked if one.status is Status.ILL]:
        yield f"{_named(noted)} reported it only as a note"
    doubted = [one for one in asked if one.status is Status.CLEAN and one.reason]
    yield from (f"{_named([one])} {one.reason}" for one in doubted[:MOST_NAMED])
    if silent := [one for one in asked if one.status is Status.CLEAN and not one.reason]:
        yield f"{_named(silent)} saw nothing"
    yield from (f"{_named([one])} did not run: {one.reason}" for one in asked if one.status is Status.SKIPPED)
    if not asked:
        yield f"no check of a run looks for {' or '.join(fault.causes)}"


def _named(outcomes: Sequence[CheckOutcome]) -> str:
    more = len(outcomes) - MOST_NAMED
    names = ", ".join(f"{one.id} {one.name}" for one in outcomes[:MOST_NAMED])
    return names + (f" and {more} more" if more > 0 else "")


def sensitivity(mutants: Iterable[Mutant]) -> dict[str, float]:
    """For each flow, the share of its faults that were caught; flows without a fault that counts are left out."""
    counted = [mutant for mutant in mutants if mutant.outcome in COUNTED]
    found: dict[str, float] = {}
    for flow in FLOWS:
        of_flow = [mutant.outcome is Outcome.CAUGHT for mutant in counted if mutant.flow == flow]
        if of_flow:
            found[flow] = round(fmean(of_flow), 4)
    return found
