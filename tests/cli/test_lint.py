"""`firstlight lint` as a user types it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from firstlight.cli.main import run
from firstlight.observe.source.machine import MOST_STATEMENTS_PER_FILE

BAD = """import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = model(torch.randn(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
FIXABLE = "import torch\n\n\ndef freeze(model):\n    for p in model.parameters():\n        p.require_grad = False\n"
WARNED = "import torch.nn.functional as F\n\n\ndef f(x):\n    return F.softmax(x)\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_error_is_told_on_its_line_and_ends_with_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.py").write_text(BAD)

    assert run(["lint", "train.py"]) == 1
    told = capsys.readouterr().out
    assert "train.py:8: error[FL710] zero-grad-missing: " in told
    assert "  do      call `optimizer.zero_grad()` before this line" in told
    assert told.splitlines()[-1].startswith("ill: 1 error; 1 files read")


def test_a_clean_file_ends_with_zero(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.py").write_text("import torch\n")

    assert run(["lint"]) == 0
    assert capsys.readouterr().out.startswith("clean: nothing found; 1 files read")


def test_warnings_end_with_one_only_when_strict(here: Path) -> None:
    (here / "model.py").write_text(WARNED)

    assert run(["lint"]) == 0
    assert run(["lint", "--strict"]) == 1


def test_nothing_to_read_is_not_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint"]) == 2
    assert "no Python file or notebook" in capsys.readouterr().out


def test_a_path_that_is_not_there_is_a_usage_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "nowhere"]) == 2
    assert "`nowhere` does not exist" in capsys.readouterr().err


def test_json_is_the_report(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.py").write_text(BAD)

    assert run(["lint", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "firstlight.report/1"
    assert report["subject"]["kind"] == "sources"
    assert report["verdict"] == "ill"
    (finding,) = report["findings"]
    assert (finding["id"], finding["cause"]) == ("FL710", "train-no-zero-grad")
    assert (finding["where"]["file"], finding["where"]["line"], finding["where"]["column"]) == ("train.py", 8, 4)


def test_sarif_names_rules_and_places(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.py").write_text(BAD)
    run(["lint", "--format", "sarif"])

    (ran,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = ran["results"]
    assert ran["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "FL710"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 8}
    assert len(result["partialFingerprints"]["firstlight/v1"]) == 20


def test_github_and_junit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "train.py").write_text(BAD)

    run(["lint", "--format", "github"])
    assert capsys.readouterr().out.startswith("::error file=train.py,line=8,title=FL710 zero-grad-missing::")
    run(["lint", "--format", "junit"])
    suite = ElementTree.fromstring(capsys.readouterr().out)
    assert suite.get("failures") == "1"
    assert [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None] == [
        "FL710 zero-grad-missing"
    ]


def test_statistics_count_by_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.py").write_text(WARNED + WARNED.replace("def f", "def g"))

    run(["lint", "--statistics"])
    assert "     2  FL735  warning  softmax-without-dim" in capsys.readouterr().out


def test_select_and_ignore(here: Path) -> None:
    (here / "train.py").write_text(BAD)

    assert run(["lint", "--ignore", "FL710"]) == 0
    assert run(["lint", "--select", "softmax-without-dim"]) == 0
    assert run(["lint", "--select", "zero-grad-missing"]) == 1


def test_a_comment_allows_a_finding(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    allowed = "    loss.backward()  # firstlight: ignore[zero-grad-missing] one pass only\n"
    (here / "train.py").write_text(BAD.replace("    loss.backward()\n", allowed))

    assert run(["lint"]) == 0
    assert "1 allowed by comments" in capsys.readouterr().out


def test_diff_shows_and_fix_writes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = here / "freeze.py"
    path.write_text(FIXABLE)
    path.chmod(0o755)

    assert run(["lint", "--diff"]) == 1
    assert "-        p.require_grad = False\n+        p.requires_grad = False\n" in capsys.readouterr().out
    assert path.read_text() == FIXABLE
    assert run(["lint", "--fix"]) == 0
    assert path.read_text() == FIXABLE.replace("require_grad", "requires_grad")
    assert path.stat().st_mode & 0o777 == 0o755
    assert run(["lint", "--diff"]) == 0


def test_a_baseline_lets_only_new_findings_through(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = here / "train.py"
    path.write_text(BAD)

    assert run(["lint", "--write-baseline"]) == 0
    assert run(["lint", "--baseline", "firstlight-baseline.json"]) == 0
    path.write_text("import os\n" + BAD)
    assert run(["lint", "--baseline", "firstlight-baseline.json"]) == 0
    path.write_text(BAD + BAD.replace("loss", "other"))
    assert run(["lint", "--baseline", "firstlight-baseline.json"]) == 1
    assert "1 error" in capsys.readouterr().out
    assert run(["lint", "--baseline", "train.py"]) == 2


def test_a_notebook_is_told_by_cell_and_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [{"cell_type": "markdown", "source": "# title"}]
    cells += [{"cell_type": "code", "source": text} for text in ("%matplotlib inline\nimport torch", BAD)]
    (here / "train.ipynb").write_text(json.dumps({"cells": cells}))

    assert run(["lint"]) == 1
    assert "train.ipynb:cell 3:8: error[FL710]" in capsys.readouterr().out


def test_the_cache_forgets_when_an_imported_file_changes(here: Path) -> None:
    (here / "model.py").write_text(
        "from torch import nn\nnet = nn.Sequential(nn.Linear(4, 3))\n\n\ndef make():\n    return net\n"
    )
    (here / "train.py").write_text(
        "import torch.nn.functional as F\nfrom model import make\n\n\n"
        "def step(x, y):\n    F.cross_entropy(make()(x), y).backward()\n"
    )
    assert run(["lint"]) == 0
    assert run(["lint"]) == 0
    text = (here / "model.py").read_text()
    (here / "model.py").write_text(text.replace("nn.Linear(4, 3)", "nn.Linear(4, 3), nn.Softmax(dim=1)"))
    assert run(["lint"]) == 1
    (here / ".firstlight" / "cache" / "lint.msgpack").write_bytes(b"broken")
    assert run(["lint"]) == 1


def test_many_files_are_shared_among_processes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(40):
        (here / f"train{number}.py").write_text(BAD)

    assert run(["lint", "--jobs", "2", "--no-cache", "--statistics"]) == 1
    assert "    40  FL710" in capsys.readouterr().out
    assert not (here / ".firstlight").exists()


def test_it_needs_neither_torch_nor_long() -> None:
    code = "import sys, firstlight.cli.lint; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_a_file_that_cannot_be_read_is_not_clean(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "broken.py").write_bytes(b"\xff\xfe")
    os.mkfifo(here / "pipe.py")
    for name in ("broken.py", "pipe.py", "/dev/zero"):
        assert run(["lint", name]) == 2
        assert f"unjudged: nothing could be read; not read: {name}: " in capsys.readouterr().out


def test_what_was_not_read_is_told_beside_what_was(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "broken.py").write_text("def f(:\n")
    (here / "train.py").write_text("import torch\n")
    assert run(["lint"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("clean: nothing found in what was read; not read: broken.py: ")
    assert "1 files read, 0 of them unchanged since the last time; 1 not, or not whole" in told


@pytest.mark.parametrize(("functions", "whole"), [(10, True), (MOST_STATEMENTS_PER_FILE // 2 + 1, False)])
def test_a_file_of_which_only_the_beginning_was_followed_says_so(
    here: Path, capsys: pytest.CaptureFixture[str], functions: int, whole: bool
) -> None:
    body = "".join(f"def f{n}(x):\n    y = torch.relu(x)\n    return y\n" for n in range(functions))
    (here / "train.py").write_text(f"import torch\n{body}")
    assert run(["lint"]) == 0
    assert ("statements were followed" not in capsys.readouterr().out) is whole


def test_a_link_beside_a_file_is_not_written_through(here: Path) -> None:
    (here / "train.py").write_text(FIXABLE)
    (here / "mine").write_text("mine")
    (here / "train.py.firstlight-partial").symlink_to("mine")
    (here / "report.md.partial").symlink_to("mine")
    run(["lint", "--fix", "--format", "markdown", "--output", "report.md"])
    assert (here / "mine").read_text() == "mine"
    assert "requires_grad" in (here / "train.py").read_text()
    assert (here / "report.md").is_file()
