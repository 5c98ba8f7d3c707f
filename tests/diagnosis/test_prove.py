import math

import pytest

from firstlight.checks.catalogue import named
from firstlight.diagnosis.causes import BY_SLUG
from firstlight.diagnosis.knowledge.repairs import REPAIRS, repairs_of
from firstlight.diagnosis.prove import PROVEN, prove
from firstlight.diagnosis.rank import rank
from firstlight.experiments.plan import BY_NAME
from firstlight.findings.judge import stamp
from firstlight.records.facts import Contrast, Level, Pair
from firstlight.records.finding import Evidence, Finding, Severity
from firstlight.records.places import Where


def find(name: str, severity: Severity | None = None) -> Finding:
    check = named(name)
    assert check is not None
    where = Where(file="train.py", line=7)
    return stamp(check, Evidence(where=where, saw="this", wanted="that", severity=severity, numbers={"seen": 3}))


def ended(last: float) -> Level:
    return Level(first=2.5, last=last, noise=0.01, finite=math.isfinite(last))


def tried(*ends: tuple[str, float], base: float = 2.0) -> Contrast:
    pairs = tuple(Pair(name=name, steps=150, base=ended(base), other=ended(last)) for name, last in ends)
    return Contrast(pairs=pairs, classes=None, loss=None, steps=200)


def proven(finding: Finding, contrast: Contrast | None) -> Finding:
    (found,) = prove((finding,), contrast)
    return found


def test_a_repair_that_helps_proves_the_finding() -> None:
    found = proven(find("gradients-never-cleared"), tried(("zeroed-gradients", 0.25)))

    assert found.verified
    assert found.confidence >= PROVEN
    assert found.severity is Severity.ERROR
    assert (found.saw, found.wanted) == ("this", "that")


def test_both_numbers_are_told_and_kept() -> None:
    found = proven(find("gradients-never-cleared"), tried(("zeroed-gradients", 0.25)))

    assert found.likely == (
        "proven: clear the gradients before each backward, and the same 150 steps reach 0.25 instead of 2"
    )
    assert found.evidence == {"seen": 3, "as_it_is": 2.0, "repaired": 0.25, "steps_compared": 150}


def test_a_program_that_broke_is_told_in_words() -> None:
    found = proven(find("rate-too-high"), tried(("lr-tenth", 0.25), base=math.inf))

    assert found.verified
    assert found.likely.endswith("reach 0.25 instead of a value that is not finite")


@pytest.mark.parametrize("last", [1.9, 2.0, 3.0, math.inf, math.nan])
def test_a_repair_that_does_not_help_proves_nothing(last: float) -> None:
    finding = find("gradients-never-cleared")

    assert proven(finding, tried(("zeroed-gradients", last))) == finding


def test_the_repair_of_another_cause_proves_nothing() -> None:
    finding = find("gradients-never-cleared")

    assert proven(finding, tried(("target-reshaped", 0.1), ("lr-tenth", 0.1))) == finding


def test_without_timelines_nothing_is_proven() -> None:
    finding = find("gradients-never-cleared")

    assert proven(finding, None) == finding
    assert proven(finding, tried()) == finding


def test_a_cause_without_a_repair_stays_likely() -> None:
    finding = find("script-crashed")

    assert repairs_of(finding.cause) == ()
    assert proven(finding, tried(("lr-tenth", 0.1))) == finding


def test_a_note_is_left_alone() -> None:
    finding = find("gradients-never-cleared", Severity.NOTE)

    assert proven(finding, tried(("zeroed-gradients", 0.25))) == finding


def test_the_mildest_repair_that_helps_is_told() -> None:
    both = tried(("lr-hundredth", 0.1), ("lr-tenth", 0.2))
    harder = tried(("lr-hundredth", 0.1), ("lr-tenth", 1.9))

    assert "a tenth of the learning rate" in proven(find("rate-too-high"), both).likely
    assert "a hundredth of the learning rate" in proven(find("rate-too-high"), harder).likely


def test_each_finding_is_judged_on_its_own() -> None:
    first, second = prove((find("loss-broadcast"), find("loss-detached")), tried(("target-reshaped", 0.1)))

    assert (first.verified, second.verified) == (True, False)


def test_the_diagnosis_says_that_it_is_proven() -> None:
    found = prove((find("gradients-never-cleared"), find("loss-detached")), tried(("zeroed-gradients", 0.25)))

    assert {cause.cause: cause.verified for cause in rank(found)} == {
        "train-no-zero-grad": True,
        find("loss-detached").cause: False,
    }


def test_the_repairs_of_what_checks_find_can_be_made() -> None:
    """Those the knowledge base names and no engine makes yet are not ordered."""
    proving = {
        "zeroed-gradients",
        "activation-undone",
        "activation-added",
        "target-reshaped",
        "all-optimized",
        "thawed",
    }
    assert proving <= {repair.slug for repair in REPAIRS} & BY_NAME.keys()


def test_every_repair_is_of_a_cause_that_is_known() -> None:
    assert {repair.repairs for repair in REPAIRS} <= BY_SLUG.keys()
