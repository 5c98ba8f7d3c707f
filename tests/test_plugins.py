"""Plug-ins of a distribution that is really there: a folder with its metadata on the path."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CHECK = """
from firstlight.checks.declare import Check
from firstlight.records.source import SourceFile
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import Where

def find(source, limits):
    yield Evidence(where=Where(file="train.py", line=1), saw="a file", wanted="no file")

def card(**changes):
    usual = dict(id="LAB001", name="file-is-there", summary="there is a file", causes=("unknown",), likely="somebody",
                 fix="remove it", severity=Severity.ERROR, confidence=0.5, needs=SourceFile, find=find)
    return Check(**usual | changes)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def installed(site: Path, code: str, entries: str, name: str = "ourlab") -> None:
    (site / f"{name}.py").write_text(CHECK + code)
    card = site / f"{name}-1.2.dist-info"
    card.mkdir()
    (card / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (card / "entry_points.txt").write_text(entries)


def firstlight(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = f"import sys; sys.path.insert(0, {str(site)!r}); from firstlight.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", command, *words], cwd=site.parent, capture_output=True, text=True, check=False
    )


def listed(site: Path) -> dict[str, dict[str, str | None]]:
    told = firstlight(site, "plugins", "--format", "json")
    assert told.returncode == 0, told.stderr
    return {one["name"]: one for one in json.loads(told.stdout)}


def test_a_check_of_a_plug_in_is_one_like_any_other(site: Path) -> None:
    installed(site, "CHECKS = (card(),)", "[firstlight.checks]\nourlab = ourlab:CHECKS\n")
    (site.parent / "train.py").write_text("import torch\n")

    told = listed(site)["ourlab"]
    linted = firstlight(site, "lint", "--format", "json", "train.py")
    explained = firstlight(site, "explain", "lab001")
    ignored = firstlight(site, "lint", "--ignore", "file-is-there", "train.py")

    assert (told["distribution"], told["version"], told["adds"]) == ("ourlab", "1.2", "LAB001 file-is-there")
    assert [(one["id"], one["where"]["line"]) for one in json.loads(linted.stdout)["findings"]] == [("LAB001", 1)]
    assert linted.returncode == 1
    assert "error[LAB001] file-is-there" in explained.stdout
    assert ignored.returncode == 0


def test_what_is_broken_is_told_and_ends_nothing(site: Path) -> None:
    entries = [
        ("raises", "1 / 0", "it cannot be imported: ZeroDivisionError: division by zero"),
        ("leaves", "raise SystemExit(3)", "it cannot be imported: SystemExit: 3"),
        ("alist", "CHECKS = [card()]", "it is not a tuple of `firstlight.checks.declare.Check`"),
        ("ours", "CHECKS = (card(id='FL201'),)", "its id must be two to eight capital letters, other than FL"),
        ("clash", "CHECKS = (card(name='loss-broadcast'),)", "another check has its id or name"),
        ("odd", "CHECKS = (card(causes=('bad-luck',)),)", "`bad-luck` is not a cause"),
        ("needy", "CHECKS = (card(needs=int),)", "`int` is not a fact that firstlight makes"),
    ]
    for name, code, _ in entries:
        installed(site, code, f"[firstlight.checks]\n{name} = {name}:CHECKS\n", name)
    (site.parent / "train.py").write_text("import torch\n")

    told = listed(site)

    for name, _, problem in entries:
        assert problem in (told[name]["problem"] or ""), name
    assert firstlight(site, "lint", "train.py").returncode == 0


def test_a_format_is_a_word_for_the_same_option(site: Path) -> None:
    code = "def render(asked):\n    return f'{asked.report.verdict}, says our lab\\n'\n"
    entries = "[firstlight.formats]\nourlab = ourlab:render\njson = ourlab:render\ngone = ourlab:nothing\n"
    installed(site, code, entries)
    (site.parent / "train.py").write_text("import torch\n")

    assert firstlight(site, "lint", "--format", "ourlab", "train.py").stdout == "clean, says our lab\n"
    assert json.loads(firstlight(site, "lint", "--format", "json", "train.py").stdout)["verdict"] == "clean"
    broken = firstlight(site, "lint", "--format", "gone", "train.py")
    assert broken.returncode == 2
    assert "cannot be used: it cannot be imported: AttributeError" in broken.stderr
    assert listed(site)["json"]["problem"] == "the format `json` is there already"


def test_without_plug_ins_it_says_so(site: Path) -> None:
    assert firstlight(site, "plugins").stdout == "no plug-ins are installed in this environment\n"
