import dataclasses
import math

import pytest
from msgspec.structs import replace

from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.diagnosis.causes import BY_SLUG
from firstlight.diagnosis.knowledge.repairs import REPAIRS, repairs_of
from firstlight.diagnosis.prove import PROVEN, prove, worth_trying
from firstlight.diagnosis.rank import rank
from firstlight.experiments.plan import BY_NAME
from firstlight.findings.gather import gather
from firstlight.findings.judge import stamp
from firstlight.records.contrast import Contrast, Level, Pair
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
    assert found.proof is not None
    assert (found.proof.as_it_is, found.proof.reached, found.proof.steps) == (2.0, 0.25, 150)


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


def test_the_rung_that_reaches_most_is_told_and_of_equals_the_mildest() -> None:
    alike = tried(("lr-hundredth", 0.19), ("lr-tenth", 0.2))
    better = tried(("lr-hundredth", 0.1), ("lr-tenth", 0.2))

    assert "a tenth of the learning rate" in proven(find("rate-too-high"), alike).likely
    assert "a hundredth of the learning rate" in proven(find("rate-too-high"), better).likely


class TestControls:
    """A repair proves its cause only beside the copies that it has to beat."""

    def blind(self, *ends: tuple[str, float], guess: float) -> Contrast:
        return replace(tried(*ends, ("permuted-targets", guess), base=2.6), supervised=True)

    def test_a_copy_that_gets_below_a_guess_proves(self) -> None:
        found = proven(find("rate-too-high"), self.blind(("lr-tenth", 1.7), guess=2.3))

        assert found.verified
        assert found.proof is not None
        assert (found.proof.guess, found.proof.reached) == (2.3, 1.7)
        assert "without using the inputs 2.3" in found.likely

    @pytest.mark.parametrize("guess", [1.7, 1.69, math.nan])
    def test_a_copy_that_is_still_at_a_guess_only_helps(self, guess: float) -> None:
        found = proven(find("rate-too-high"), self.blind(("lr-tenth", 1.7), guess=guess))

        assert not found.verified or math.isnan(guess)
        assert found.likely.startswith("helps: ") or math.isnan(guess)

    @pytest.mark.parametrize(("rival", "verified"), [(0.2, False), (0.255, False), (0.5, True)])
    def test_a_more_general_change_that_does_as_well_leaves_it_open(self, rival: float, verified: bool) -> None:
        contrast = tried(("zeroed-gradients", 0.25), ("lr-tenth", rival))
        found = proven(find("gradients-never-cleared"), contrast)

        assert found.verified is verified
        assert f"a tenth of the rate reaches {rival:.3g}" in found.likely

    @pytest.mark.parametrize(("reached", "verified"), [(0.3, False), (0.2, False), (1.2, True)])
    def test_another_setting_proves_nothing_where_the_program_learns_well_with_its_own(
        self, reached: float, verified: bool
    ) -> None:
        """It gets from 2.5 to 0.9, or hardly on; what repairs a bug needs no more than to be clearly better."""
        base = 2.0 if verified else 0.9
        found = proven(find("rate-too-low"), tried(("lr-tenfold", reached), base=base))

        assert found.verified is verified
        assert found.likely.startswith("proven: " if verified else "helps: ")
        assert proven(find("gradients-never-cleared"), tried(("zeroed-gradients", reached), base=base)).verified

    @pytest.mark.parametrize(
        ("stands_still", "reached", "severity"),
        [(True, 0.1, Severity.ERROR), (False, 0.1, Severity.WARNING), (True, 2.2, Severity.WARNING)],
    )
    def test_what_was_proven_to_keep_a_program_from_learning_is_an_error(
        self, stands_still: bool, reached: float, severity: Severity
    ) -> None:
        contrast = replace(self.blind(("lr-hundredfold", reached), guess=2.1), stands_still=stands_still)

        (found,) = prove((find("weights-creep"),), contrast, CATALOGUE)

        assert found.severity is severity

    def test_a_severity_that_was_imposed_stays(self) -> None:
        contrast = replace(self.blind(("lr-hundredfold", 0.1), guess=2.1), stands_still=True)
        check = named("weights-creep")
        assert check is not None

        (found,) = prove((find("weights-creep"),), contrast, [dataclasses.replace(check, imposed=Severity.WARNING)])

        assert found.severity is Severity.WARNING

    def test_pairs_within_a_batch_have_no_guess(self) -> None:
        found = proven(find("rate-too-high"), replace(self.blind(("lr-tenth", 1.7), guess=1.6), compares_rows=True))

        assert found.verified
        assert found.proof is not None
        assert found.proof.guess is None


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


def settled(finding: Finding, *ends: tuple[str, float, bool], below: float = 0.0) -> tuple[Finding, ...]:
    pairs = tuple(
        Pair(name=name, steps=150, base=ended(2.0), other=ended(last), cured=cured, below=below)
        for name, last, cured in ends
    )
    return prove((finding,), Contrast(pairs=pairs, classes=None, loss=None, steps=200), CATALOGUE)


class TestSuspicions:
    def test_a_cure_makes_it_a_finding(self) -> None:
        (found,) = settled(find("targets-unscaled"), ("targets-standardised", 0.2, True))

        assert (found.severity, found.verified) == (Severity.WARNING, True)
        assert found.likely.startswith("proven: standardize the targets")

    def test_a_repair_that_cures_nothing_drops_it(self) -> None:
        assert settled(find("targets-unscaled"), ("targets-standardised", 1.9, False)) == ()

    def test_what_was_not_tried_stays_a_note(self) -> None:
        finding = find("targets-unscaled")

        assert settled(finding, ("lr-tenth", 0.1, True)) == (finding,)

    def test_the_cause_is_the_one_whose_repair_helps_most(self) -> None:
        finding = find("units-dead")

        (first,) = settled(finding, ("leaky-units", 0.1, True), ("lr-tenth", 0.9, True))
        (second,) = settled(finding, ("leaky-units", 0.9, True), ("lr-tenth", 0.1, True))

        assert (first.cause, second.cause) == ("arch-dead-units", "hp-lr-high")

    def test_a_strong_one_is_confirmed_by_a_small_steady_advantage(self) -> None:
        weak, strong = find("precision-too-low"), replace(find("precision-too-low"), confidence=0.85)

        assert settled(weak, ("fp32", 1.95, False), below=0.95) == ()
        assert [found.severity for found in settled(strong, ("fp32", 1.95, False), below=0.95)] == [Severity.ERROR]
        assert settled(strong, ("fp32", 1.95, False), below=0.5) == ()

    def test_an_error_of_such_a_check_needs_no_proof(self) -> None:
        certain = find("units-dead", Severity.ERROR)

        assert settled(certain, ("leaky-units", 1.99, False)) == (certain,)

    def test_all_repairs_that_would_settle_it_are_tried(self) -> None:
        assert worth_trying((find("inputs-unscaled"),), CATALOGUE) == ("standardised",)
        assert worth_trying((find("loss-summed"),), CATALOGUE) == ("mean-reduction",)
        assert worth_trying((find("gradients-never-cleared"),), CATALOGUE) == ("zeroed-gradients",)


class TestRivals:
    def test_the_repair_that_helps_clearly_most_tells_the_cause(self) -> None:
        findings = (find("rate-too-low"), find("optimizer-settings-odd"))
        contrast = tried(("lr-hundredfold", 0.5), ("default-betas", 0.1))
        cured = replace(contrast, pairs=tuple(replace(pair, cured=True) for pair in contrast.pairs))

        first, second = prove(findings, cured, CATALOGUE)

        assert (first.severity, first.cause) == (Severity.NOTE, "hp-optimizer")
        assert first.likely.startswith("follows from FL311")
        assert (second.severity, second.verified) == (Severity.WARNING, True)

    def test_what_was_seen_in_the_program_itself_comes_before_any_trial(self) -> None:
        findings = (find("gradients-never-cleared"), find("rate-too-high"))

        found = prove(findings, tried(("zeroed-gradients", 0.4), ("lr-tenth", 0.1)), CATALOGUE)
        (told,) = gather(found, frozenset({"FL505"}))

        assert (told.name, told.severity, told.verified) == ("gradients-never-cleared", Severity.ERROR, False)

    @pytest.mark.parametrize(("severity", "leads"), [(Severity.ERROR, True), (Severity.WARNING, False)])
    def test_a_rate_that_helps_may_make_up_for_an_error_that_was_seen(self, severity: Severity, leads: bool) -> None:
        findings = (find("weights-changed-between-steps", severity), find("rate-too-low", Severity.WARNING))

        seen, rate = prove(findings, tried(("lr-hundredfold", 0.1)), CATALOGUE)

        assert (seen.severity, seen.cause) == (severity, "train-reinit")
        assert (rate.severity is Severity.NOTE) is leads
        assert ("which another setting may only compensate for" in rate.likely) is leads

    @pytest.mark.parametrize(("scaled", "leads"), [(0.3, "data-scale"), (1.2, "hp-lr-low")])
    def test_what_is_odd_about_the_data_was_there_before_the_rate(self, scaled: float, leads: str) -> None:
        """A higher rate makes up for targets that are far too large, and explains nothing, unless it goes further."""
        findings = (find("rate-too-low"), find("targets-unscaled"))
        contrast = tried(("lr-hundredfold", 0.1), ("targets-standardised", scaled), base=2.4)
        cured = replace(contrast, pairs=tuple(replace(pair, cured=True) for pair in contrast.pairs))

        loud = [one for one in prove(findings, cured, CATALOGUE) if one.verified]

        assert [one.cause for one in loud] == [leads]

    def test_two_that_help_alike_both_stand(self) -> None:
        findings = (find("rate-too-low"), find("scores-too-flat"))

        found = prove(findings, tried(("lr-hundredfold", 0.5), ("sharpened", 0.45)), CATALOGUE)

        assert [finding.severity for finding in found] == [Severity.WARNING, Severity.WARNING]

    def test_what_merely_helps_yields_to_what_goes_clearly_further(self) -> None:
        findings = (find("rate-too-low"), find("scores-too-flat"))
        rate, flat = prove(findings, tried(("lr-hundredfold", 0.05), ("sharpened", 0.45)), CATALOGUE)

        assert (rate.severity, rate.verified) == (Severity.WARNING, True)
        assert (flat.severity, flat.cause) == (Severity.NOTE, "hp-lr-low")

    def test_a_setting_that_proves_nothing_waits_for_what_a_repair_proved(self) -> None:
        findings = (find("weights-left-random"), find("rate-too-low"))
        frozen, rate = prove(findings, tried(("thawed", 0.1), ("lr-tenfold", 1.7)), CATALOGUE)

        assert (frozen.severity, frozen.verified) == (Severity.WARNING, True)
        assert (rate.severity, rate.cause) == (Severity.NOTE, "train-frozen")

    def test_a_rate_waits_for_a_raw_unit_that_was_seen(self) -> None:
        drowned = replace(find("answers-drowned"), cause="data-scale")
        unit, rate = prove((drowned, find("rate-too-low")), tried(("lr-hundredfold", 0.1)), CATALOGUE)

        assert unit.severity is Severity.WARNING
        assert (rate.severity, rate.cause) == (Severity.NOTE, "data-scale")

    def test_the_winner_is_as_grave_as_what_yields_to_it(self) -> None:
        findings = (find("rate-too-high"), find("loss-summed"))
        contrast = tried(("lr-tenth", 1.0), ("mean-reduction", 0.1))
        cured = replace(contrast, pairs=tuple(replace(pair, cured=True) for pair in contrast.pairs))

        first, second = prove(findings, cured, CATALOGUE)

        assert (first.severity, second.severity) == (Severity.NOTE, Severity.ERROR)
