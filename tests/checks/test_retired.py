"""Retired ids and names lead to the check that tells of the illness now, wherever somebody wrote them down."""

import re
from pathlib import Path

import msgspec
import pytest

from firstlight.checks import retired
from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.checks.lookup import own
from firstlight.checks.retired import RETIRED, Retired
from firstlight.cli.main import run
from firstlight.errors import SettingsError
from firstlight.findings import baseline
from firstlight.findings.suppress import allowance_in
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.settings import enabled, load

every_one = pytest.mark.parametrize("one", RETIRED, ids=lambda one: one.name)
ROOT = Path(__file__).parents[2]


def finding(identifier: str, name: str) -> Finding:
    return Finding(
        id=identifier,
        name=name,
        cause="train-frozen",
        category="train",
        severity=Severity.ERROR,
        confidence=0.9,
        verified=False,
        where=Where(file="train.py", line=2),
        summary="",
        saw="",
        wanted="",
        likely="",
        do="",
        evidence={},
    )


def test_no_id_or_name_is_given_to_another_check() -> None:
    words = [word for check in CATALOGUE for word in (check.id, check.name)]
    words += [word for one in RETIRED for word in (one.id, one.name)]

    assert len(set(words)) == len(words)


def test_they_stand_in_the_order_of_their_ids() -> None:
    numbers = [int(one.id.removeprefix("FL")) for one in RETIRED]

    assert numbers == sorted(numbers)


def test_every_id_that_the_history_of_changes_names_is_known() -> None:
    known = {check.id for check in CATALOGUE} | {one.id for one in RETIRED}

    assert set(re.findall(r"FL\d{3,4}", (ROOT / "CHANGELOG.md").read_text())) <= known


@every_one
class TestEach:
    def test_its_successor_is_there_and_not_retired_itself(self, one: Retired) -> None:
        assert one.into in {check.id for check in CATALOGUE}
        assert re.fullmatch(r"\d+\.\d+", one.since)

    def test_it_is_found_by_id_and_by_name(self, one: Retired) -> None:
        check = named(one.into)
        assert check is named(one.id) is named(one.name.upper()) is own(one.id.lower()) is own(one.name)

    def test_nothing_of_it_is_left(self, one: Retired) -> None:
        assert not (ROOT / "examples" / one.name).exists()
        assert not (ROOT / "docs" / "checks" / f"{one.name}.md").exists()

    def test_the_page_of_its_successor_names_it(self, one: Retired) -> None:
        check = named(one.into)
        assert check is not None
        assert f"- {one.told}" in (ROOT / "docs" / "checks" / f"{check.name}.md").read_text(encoding="utf-8")

    def test_a_comment_in_the_source_that_allows_it_allows_its_successor(self, one: Retired) -> None:
        check = named(one.into)
        assert check is not None
        for word in (one.id, one.name):
            allowance = allowance_in([f"step()  # firstlight: ignore[{word}] on purpose"], 1)
            assert allowance is not None
            assert allowance.covers(finding(check.id, check.name))

    def test_a_baseline_that_knows_it_knows_its_successor(self, one: Retired) -> None:
        line = "optimizer.step()"
        before = baseline.Baseline(findings={baseline.fingerprint(finding(one.id, one.name), line): 1})
        now = finding(one.into, "whatever it is called")
        told = {
            "fingerprint": baseline.fingerprint(now, line),
            baseline.FORMERLY: baseline.former_fingerprints(now, line),
        }

        assert baseline.new_only([msgspec.structs.replace(now, evidence=told)], before) == ((), 1)


def test_settings_understand_it(tmp_path: Path) -> None:
    (tmp_path / "firstlight.toml").write_text(
        'ignore = ["FL304"]\n[severity]\nstatistics-forget = "note"\n[checks.gradient-dies]\nalive = 0.5\n'
    )
    checks = {check.name: check for check in enabled(load(tmp_path))}

    assert "clip-out-of-place" not in checks
    assert checks["statistics-mislead"].severity is Severity.NOTE
    assert checks["layer-cut-off"].limits.alive == 0.5
    assert load(tmp_path, select=["FL315"]).select == ("gradients-gone",)


def test_a_limit_that_its_successor_does_not_have_is_told(tmp_path: Path) -> None:
    (tmp_path / "firstlight.toml").write_text("[checks.updates-too-large]\nratio = 0.5\n")

    with pytest.raises(SettingsError, match="no limit of updates-ill-sized, into which updates-too-large was merged"):
        load(tmp_path)


def test_explain_shows_the_successor_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("FL315", "steps-without-gradients"):
        assert run(["explain", word]) == 0
        out = capsys.readouterr().out
        assert out.startswith("FL315 steps-without-gradients was merged into FL303 gradients-gone in 0.2.\n")
        assert "error[FL303] gradients-gone" in out
        assert "it also goes by\n  FL315 steps-without-gradients, retired into it in 0.2" in out


def test_other_words_are_left_as_they_are() -> None:
    assert retired.successor("Loss-Broadcast") == "Loss-Broadcast"
    assert retired.retired("loss-broadcast") is None
