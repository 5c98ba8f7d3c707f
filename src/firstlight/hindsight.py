"""Diagnoses a run made without firstlight from the curves it logged, and says what curves cannot show."""

import math
import time

import msgspec

from firstlight.diagnosis.from_curves import FEWEST, case_of_curves, spikes_again_and_again
from firstlight.diagnosis.knowledge.catalogue import KNOWLEDGE
from firstlight.experiments.engines.none import NoEngine
from firstlight.facts.naming import ROLES, assign
from firstlight.findings.judge import Judgement, judge
from firstlight.judge.inquiry import Inquiry, Question
from firstlight.judge.report import report, timing_since
from firstlight.observe.watch import Watched
from firstlight.records.curves import Curve, Logged, Roles
from firstlight.records.facts import FirstBad
from firstlight.records.finding import Finding
from firstlight.records.report import Coverage, Report, Status, Subject, Verdict
from firstlight.settings import Settings, enabled

WORDS = {
    "loss": "training loss",
    "val_loss": "validation loss",
    "lr": "learning rate",
    "grad_norm": "gradient norm",
    "accuracy": "training accuracy",
    "val_accuracy": "validation accuracy",
}
MOST_NAMES = 8
ONLY_CURVES = (
    "only curves were seen: the program, its data and its gradients layer by layer were not; "
    "`firstlight diagnose train.py` looks at those and proves what it says"
)
HARMLESS = frozenset({"loss-falls-steadily", "loss-spikes-and-recovers"})
"""Observations that healthy runs make as well."""
LIKELY = "the curve alone does not say; the hypotheses below are weighed by all that was logged"
DO = "`firstlight check train.py` names the first operation whose result is not finite"


def diagnose_curves(logged: Logged, settings: Settings, symptoms: dict[str, bool]) -> Report:
    begun = time.monotonic()
    roles = assign(logged.curves)
    judged = _judged(roles, settings)
    case = case_of_curves(roles)
    harmless = HARMLESS - ({"loss-spikes-and-recovers"} if spikes_again_and_again(roles) else set())
    shown = tuple(slug for slug, present in case.observed if present and slug not in harmless)
    unjudged = _unjudged(roles, logged)
    silent = unjudged is not None or not (shown or judged.findings or case.claims or symptoms)
    made = report(
        Subject(kind="curves", command=(logged.origin,)),
        judged,
        _coverage(roles, logged),
        timing_since(begun),
        unjudged,
    )
    told = msgspec.structs.replace(
        made,
        verdict=made.verdict if unjudged else _verdict(judged.findings, shown),
        diagnosis=(),
        reason=unjudged or "; ".join(KNOWLEDGE.observation[slug].says for slug in shown) or None,
    )
    inquiry = Inquiry(NoEngine([]), Question(weigh=lambda _: case), symptoms=symptoms)
    return told if silent else inquiry.conclude(told, inquiry.suspects(Watched()))


def _judged(roles: Roles, settings: Settings) -> Judgement:
    """The checks that a loss curve can answer: whether it stayed finite."""
    bad = None if roles.loss is None else _first_bad(roles.loss, roles.lr)
    checks = tuple(check for check in enabled(settings) if check.needs is FirstBad)
    if bad is None:
        return Judgement((), ())
    found = judge(checks, [bad], trained=False)
    findings = tuple(msgspec.structs.replace(finding, likely=LIKELY, do=DO) for finding in found.findings)
    return Judgement(findings, tuple(outcome for outcome in found.outcomes if outcome.status is Status.ILL))


def _first_bad(loss: Curve, lr: Curve | None) -> FirstBad | None:
    at = next((at for at, value in enumerate(loss.values) if not math.isfinite(value)), None)
    if at is None:
        return None
    others = sum(not math.isfinite(value) for value in loss.values)
    return FirstBad(
        kind="loss",
        step=loss.steps[at],
        site=None,
        module=None,
        operation=None,
        detail=f"{others} of {len(loss.values)} logged values of `{loss.name}`",
        share=others / len(loss.values),
        earlier=loss.values[:at],
        lr=lr.values[0] if lr else None,
    )


def _verdict(findings: tuple[Finding, ...], symptoms: tuple[str, ...]) -> Verdict:
    if findings or "loss-falls-then-explodes" in symptoms:
        return Verdict.ILL
    return Verdict.WARN if symptoms else Verdict.CLEAN


def _unjudged(roles: Roles, logged: Logged) -> str | None:
    if roles.loss is None:
        names = ", ".join(f"`{curve.name}`" for curve in logged.curves[:MOST_NAMES])
        return f"no curve in {logged.origin} is named like a training loss (`train/loss`, `loss`, …); it holds {names}"
    if len(roles.loss.values) < FEWEST:
        return f"`{roles.loss.name}` has {len(roles.loss.values)} points; a curve of at least {FEWEST} is needed"
    return None


def _coverage(roles: Roles, logged: Logged) -> Coverage:
    read = {role: getattr(roles, role) for role in ROLES}
    seen = [f"{WORDS[role]} `{curve.name}` ({_counted(curve)})" for role, curve in read.items() if curve is not None]
    missing = [WORDS[role] for role, curve in read.items() if curve is None]
    unread = ", ".join(f"`{name}`" for name in roles.unread[:MOST_NAMES])
    more = f" and {len(roles.unread) - MOST_NAMES} more" if len(roles.unread) > MOST_NAMES else ""
    return Coverage(
        steps=1 + max((curve.steps[-1] for curve in read.values() if curve is not None), default=-1),
        ended="read " + ", ".join(seen) if seen else "nothing was read",
        limits=(
            ONLY_CURVES,
            *([f"not logged: {', '.join(missing)}"] if missing else []),
            *([f"not understood: {unread}{more}"] if unread else []),
            *logged.limits,
        ),
    )


def _counted(curve: Curve) -> str:
    bad = sum(not math.isfinite(value) for value in curve.values)
    return f"{len(curve.values)} points" + (f", {bad} not finite" if bad else "")
