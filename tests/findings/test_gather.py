from pathlib import Path

import pytest
from msgspec.structs import replace

from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.checks.declare import Check, NoLimits
from firstlight.diagnosis.rank import rank
from firstlight.findings.gather import gather
from firstlight.findings.judge import judge, stamp
from firstlight.findings.suppress import suppress
from firstlight.records.facts import CheckCrash, StepOrder
from firstlight.records.finding import Evidence, Finding, Severity
from firstlight.records.places import Site, Where
from firstlight.records.report import Status

SYMPTOMS = frozenset(check.id for check in CATALOGUE if check.symptom)


def find(name: str, *, line: int = 1, step: int = 0, rank_: int = 0, severity: Severity | None = None) -> Finding:
    check = named(name)
    assert check is not None
    where = Where(file="train.py", line=line, step=step, rank=rank_)
    return stamp(check, Evidence(where=where, saw="this", wanted="that", severity=severity))


def order(**fields: object) -> StepOrder:
    values = {
        "optimizer": "SGD",
        "site": Site(file="train.py", line=3),
        "backward_site": Site(file="train.py", line=2),
        "steps": 10,
        "piled_up": 9,
        "longest_pile": 9,
        "gone": 0,
        "longest_gone": 0,
        "first_grad_norm": 1.0,
        "last_grad_norm": 9.0,
    }
    return StepOrder(**{**values, **fields})  # type: ignore[arg-type]


def test_sightings_of_one_cause_at_one_place_become_one_incident() -> None:
    many = tuple(find("loss-broadcast", line=7, step=step, rank_=rank_) for rank_ in (1, 0) for step in (5, 2, 9))
    (incident,) = gather(many, SYMPTOMS)
    assert (incident.count, incident.where.step, incident.where.rank) == (6, 2, 0)


def test_the_same_illness_on_two_lines_is_two_incidents() -> None:
    assert len(gather((find("loss-broadcast", line=7), find("loss-broadcast", line=8)), SYMPTOMS)) == 2


def test_symptoms_yield_to_what_explains_them() -> None:
    (root,) = gather((find("loss-explodes"), find("gradients-never-cleared", line=4)), SYMPTOMS)
    assert root.name == "gradients-never-cleared"
    own, trace = root.witnesses
    assert (own.id, own.kind, own.where) == ("FL301", "run", "train.py:4")
    assert (trace.id, trace.weight) == (find("loss-explodes").id, 0.0)


def died(step: int = 430) -> Finding:
    return replace(find("units-dead", line=53, step=step, severity=Severity.ERROR), later=True)


def test_what_came_about_in_training_follows_from_an_error_that_was_there_before() -> None:
    (root,) = gather((died(), find("gradients-never-cleared", line=4)), SYMPTOMS)
    assert root.name == "gradients-never-cleared"
    assert [(witness.id, witness.weight > 0) for witness in root.witnesses] == [("FL301", True), ("FL411", False)]
    assert [one.cause for one in rank((root,))] == ["train-no-zero-grad"]


def test_what_came_about_in_training_stands_beside_a_warning() -> None:
    warning = find("gradients-never-cleared", line=4, severity=Severity.WARNING)
    assert {one.name for one in gather((died(), warning), SYMPTOMS)} == {"units-dead", "gradients-never-cleared"}


def test_what_a_program_began_with_explains_what_came_later_and_not_the_other_way() -> None:
    both = gather((died(), replace(find("gradients-never-cleared", line=4), later=True)), SYMPTOMS)
    assert {one.severity for one in both} == {Severity.ERROR}
    dead_from_the_start = find("units-dead", line=53, severity=Severity.ERROR)
    assert len(gather((dead_from_the_start, find("gradients-never-cleared", line=4)), SYMPTOMS)) == 2


def test_a_symptom_alone_stands() -> None:
    (alone,) = gather((find("loss-explodes"),), SYMPTOMS)
    assert (alone.severity, alone.cause) == (Severity.ERROR, "hp-lr-high")


def test_a_crash_explains_no_symptom() -> None:
    found = gather((find("script-crashed"), find("loss-explodes")), SYMPTOMS)
    assert {finding.severity for finding in found} == {Severity.ERROR}


def test_several_checks_of_one_cause_make_one_incident() -> None:
    (first,) = gather((find("parameters-not-optimized"), find("modules-in-plain-container", line=4)), SYMPTOMS)
    assert (first.name, first.severity) == ("modules-in-plain-container", Severity.ERROR)
    assert [witness.id for witness in first.witnesses] == ["FL402", "FL401"]
    assert all(witness.weight > 0 for witness in first.witnesses)


def test_one_check_at_two_places_is_two_places_to_mend() -> None:
    found = gather((find("gradients-never-cleared", line=4), find("gradients-never-cleared", line=9)), SYMPTOMS)
    assert [finding.where.line for finding in found] == [4, 9]


def test_errors_come_first_and_then_the_surest() -> None:
    found = gather((find("metric-broadcast"), find("loss-sign-flipped"), find("loss-broadcast")), SYMPTOMS)
    assert [finding.name for finding in found] == ["loss-broadcast", "loss-sign-flipped", "metric-broadcast"]


def test_two_findings_of_one_cause_support_each_other_and_two_causes_do_not_compete() -> None:
    found = rank((find("parameters-not-optimized"), find("modules-in-plain-container", line=2), find("loss-broadcast")))
    assert [hypothesis.cause for hypothesis in found] == ["train-params-missing", "loss-broadcast"]
    assert found[0].probability > 0.99
    assert found[0].because == ("FL401", "FL402")
    assert found[1].probability == pytest.approx(0.98)


def test_a_note_is_no_claim_and_a_crash_is_no_cause() -> None:
    """Neither is shown among the causes."""
    assert rank((find("metric-broadcast", severity=Severity.NOTE), find("script-crashed"))) == ()


def broken(_fact: object, _limits: object) -> None:
    raise ZeroDivisionError("of ours")


def test_a_check_that_crashes_is_told_and_the_others_go_on() -> None:
    cleared, crashed = named("gradients-never-cleared"), named("check-crashed")
    assert cleared is not None
    assert crashed is not None
    bad = Check(
        id="FL399",
        name="broken",
        summary="s",
        causes=("unknown",),
        likely="l",
        fix="f",
        severity=Severity.ERROR,
        confidence=0.5,
        needs=StepOrder,
        find=broken,  # type: ignore[arg-type]
        limits=NoLimits(),
    )
    judged = judge((crashed, bad, cleared), [order()], trained=True)
    assert {outcome.id: outcome.status for outcome in judged.outcomes} == {
        "FL001": Status.ILL,
        "FL301": Status.ILL,
        "FL399": Status.CRASHED,
    }
    assert "ZeroDivisionError: of ours" in next(f.saw for f in judged.findings if f.id == "FL001")


def test_nothing_to_judge_is_skipped_with_the_reason_and_not_clean() -> None:
    judged = judge(CATALOGUE, [], trained=False)
    skipped = {outcome.id: outcome.reason for outcome in judged.outcomes if outcome.status is Status.SKIPPED}
    assert skipped["FL301"] == "no optimizer step was observed"
    assert set(skipped) == {check.id for check in CATALOGUE if check.needs is not CheckCrash}


def test_absence_of_oddities_is_clean_only_once_training_was_seen() -> None:
    broadcast = named("loss-broadcast")
    assert broadcast is not None
    assert judge((broadcast,), [], trained=True).outcomes[0].status is Status.CLEAN
    assert judge((broadcast,), [], trained=False).outcomes[0].status is Status.SKIPPED


@pytest.mark.parametrize("word", ["loss-broadcast", "FL201", "fl201", "x, loss-broadcast"])
def test_a_comment_on_the_line_allows_a_finding_by_name_id_or_cause(tmp_path: Path, word: str) -> None:
    (tmp_path / "train.py").write_text(f"loss = f(a, b)  # firstlight: ignore[{word}] pairwise on purpose\n")
    kept, allowed = suppress((find("loss-broadcast"),), tmp_path)
    assert kept == ()
    assert allowed == ("FL201 loss-broadcast at train.py:1: pairwise on purpose",)


def test_a_comment_above_counts_only_alone_on_its_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("# firstlight: ignore[loss-broadcast]\nloss = f(a, b)\n")
    assert suppress((find("loss-broadcast", line=2),), tmp_path)[0] == ()
    (tmp_path / "train.py").write_text("x = 1  # firstlight: ignore[loss-broadcast]\nloss = f(a, b)\n")
    assert len(suppress((find("loss-broadcast", line=2),), tmp_path)[0]) == 1


def test_another_name_allows_nothing_and_missing_files_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("loss = f(a, b)  # firstlight: ignore[loss-detached]\n")
    assert len(suppress((find("loss-broadcast"),), tmp_path)[0]) == 1
    (tmp_path / "train.py").unlink()
    assert len(suppress((find("loss-broadcast"),), tmp_path)[0]) == 1
