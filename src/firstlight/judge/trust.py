"""What a claim of its kind turned out to be worth, as counted on labelled programs.

A cause is named because a repair proved it, because an error or a warning names it, or because everything together
points at it. How often each kind is right, and each check within its kind, is counted by `python -m zoo score --half
tune --count`, on programs at which nobody had looked before. A check of which little is known is drawn towards its
kind, and a kind towards all. That nothing is wrong after all is as likely as such alarms were false, and is told after
the causes. What is taken off either belongs to `unknown`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from firstlight.diagnosis.answer import credence
from firstlight.diagnosis.causes import category_of
from firstlight.diagnosis.rank import LEAST_PROBABLE, UNKNOWN
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Hypothesis, Report, Verdict

NULL = "null"
PROVEN = "proven"
INFERRED = "inferred"
ALARM = "alarm"
"""Of alarms whatever they name: right where something was wrong."""
DRAWN = 4.0
"""What is known of the wider group counts like so many claims of the narrower one."""
AT_FIRST = 0.5
"""The share that is assumed before anything is counted."""


class Claims(msgspec.Struct, frozen=True):
    """Claims of one kind, and how many named the planted cause; the same for each check that made them."""

    claims: int = 0
    right: int = 0
    checks: dict[str, tuple[int, int]] = {}


def trusted(report: Report) -> Report:
    """The report with probabilities that hold what they promise; the order of causes stays."""
    alarmed = report.verdict in (Verdict.ILL, Verdict.WARN)
    told: list[Hypothesis] = []
    most, taken = 1.0, 0.0
    for one in (one for one in report.diagnosis if one.cause != UNKNOWN):
        if one.category == NULL:
            said = min(one.probability, 1.0 - worth(ALARM)) if alarmed else one.probability
            taken += one.probability - said
        else:
            said = min(most, _probability(one, report.findings))
            taken += max(0.0, one.probability - said) if most == 1.0 else 0.0
            most = said
        told.append(_told(one, said))
    shown = [one for one in told if one.probability >= LEAST_PROBABLE]
    if alarmed:  # a verdict that says what is wrong does not begin with "nothing"
        shown.sort(key=lambda one: one.category == NULL)
    return msgspec.structs.replace(report, diagnosis=(*shown, *_unknown(report, taken)))


def _probability(one: Hypothesis, findings: tuple[Finding, ...]) -> float:
    """What a loud finding names is worth what such claims were; what none names, at most that."""
    named = (finding for finding in findings if finding.cause == one.cause and finding.severity is not Severity.NOTE)
    finding = next(named, None)
    if finding is None:
        return min(one.probability, worth(INFERRED))
    return worth(PROVEN if finding.verified else finding.severity.value, finding.id)


def _unknown(report: Report, taken: float) -> tuple[Hypothesis, ...]:
    before = next((one for one in report.diagnosis if one.cause == UNKNOWN), None)
    if before is None and taken < LEAST_PROBABLE:
        return ()
    one = before or Hypothesis(cause=UNKNOWN, category=category_of(UNKNOWN), probability=0.0)
    return (_told(one, one.probability + taken),)


def worth(kind: str, check: str = "") -> float:
    """How often claims of this kind, made by this check, are right."""
    named = [one for name, one in counted().items() if name != ALARM]
    everything = _drawn(sum(one.claims for one in named), sum(one.right for one in named), AT_FIRST)
    own = counted().get(kind, Claims())
    return round(_drawn(*own.checks.get(check, (0, 0)), _drawn(own.claims, own.right, everything)), 4)


def _drawn(claims: int, right: int, towards: float) -> float:
    return (right + DRAWN * towards) / (claims + DRAWN)


@cache
def counted() -> Mapping[str, Claims]:
    found = files("firstlight.judge").joinpath("counted.json").read_bytes()
    return msgspec.json.decode(found, type=dict[str, Claims])


def _told(one: Hypothesis, probability: float) -> Hypothesis:
    words = credence(probability) if one.credence else None
    return msgspec.structs.replace(one, probability=round(probability, 4), credence=words)
