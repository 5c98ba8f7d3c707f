"""`firstlight docs` in a small stand-in for the repository."""

import json
from pathlib import Path

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.cli.main import run
from firstlight.diagnosis.causes import CAUSES
from firstlight.settings import PROFILES


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "firstlight"\n', encoding="utf-8")
    (tmp_path / "src" / "firstlight").mkdir(parents=True)
    example = tmp_path / "examples" / "loss-broadcast"
    example.mkdir(parents=True)
    (example / "fails.py").write_text("buggy_example()\n", encoding="utf-8")
    (example / "healthy.py").write_text("healthy_example()\n", encoding="utf-8")
    (example / "fails.txt").write_text("error[FL201]: as answered\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def written(checkout: Path) -> Path:
    assert run(["docs"]) == 0
    return checkout / "docs"


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_a_page_for_every_check(written: Path) -> None:
    pages = {path.stem for path in (written / "checks").glob("*.md")}
    assert pages == {check.name for check in CATALOGUE} | {"index"}
    page = text(written / "checks" / "loss-broadcast.md")
    for part in ("buggy_example()", "healthy_example()", "error[FL201]: as answered", "## When it is fine"):
        assert part in page
    index = text(written / "checks" / "index.md")
    assert [check.id for check in CATALOGUE if f"[{check.id}]({check.name}.md)" not in index] == []


def test_every_cause_and_every_link_in_its_page_exists(written: Path) -> None:
    causes = text(written / "causes.md")
    assert [cause.slug for cause in CAUSES if f"\n## {cause.slug}\n" not in causes] == []
    links = [part.split(")")[0] for part in causes.split("](")[1:]]
    assert links
    assert [link for link in links if not (written / link).is_file()] == []


def test_configuration_has_every_setting_and_profile(written: Path) -> None:
    page = text(written / "configuration.md")
    for name, budget in PROFILES.items():
        assert f"| `{name}` | {budget.steps} | {budget.seconds:g} |" in page
    assert "| `startup-seconds` | number | 120.0 | Seconds the script has" in page
    assert '| `profile` | `quick`, `standard`, `deep` | "standard" |' in page


def test_schemas_are_json(written: Path) -> None:
    for name in ("report", "event"):
        assert "$defs" in json.loads(text(written / "schema" / f"{name}.json"))


def test_what_was_written_is_fresh_and_writing_again_changes_nothing(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["docs", "--check"]) == 0
    assert capsys.readouterr().out == ""
    assert run(["docs"]) == 0
    assert "0 written, 0 removed" in capsys.readouterr().out


def test_stale_absent_and_left_over_pages_are_named_and_mended(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (written / "causes.md").write_text("old", encoding="utf-8")
    (written / "schema" / "event.json").unlink()
    (written / "checks" / "retired.md").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert run(["docs", "--check"]) == 1
    out = capsys.readouterr().out
    assert "docs/causes.md: stale" in out
    assert "docs/schema/event.json: stale" in out
    assert "docs/checks/retired.md: belongs to no check" in out
    assert out.count(": ") == 3
    assert text(written / "causes.md") == "old"
    assert run(["docs"]) == 0
    assert run(["docs", "--check"]) == 0
    assert not (written / "checks" / "retired.md").exists()


def test_an_edited_example_makes_its_page_stale(
    checkout: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "examples" / "loss-broadcast" / "fails.py").write_text("other()\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["docs", "--check"]) == 1
    assert "docs/checks/loss-broadcast.md: stale" in capsys.readouterr().out


@pytest.mark.parametrize("project", [None, '[project]\nname = "other"\n', "not = = toml"])
def test_elsewhere_it_writes_nothing_and_says_so(
    project: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if project is not None:
        (tmp_path / "pyproject.toml").write_text(project, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["docs"]) == 2
    assert "is not a checkout of firstlight" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()
