"""`firstlight log validate`, as a user types it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.cli.main import run

SOUND = b'{"phase": "step", "step": 1}\n{"phase": "step", "step": 2}\n'


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], str]:
    monkeypatch.chdir(tmp_path)

    def write(data: bytes) -> str:
        (tmp_path / "run.ndjson").write_bytes(data)
        return "run.ndjson"

    return write


def test_exit_codes(log: Callable[[bytes], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["log", "validate", log(SOUND)]) == 0
    assert run(["log", "validate", log(SOUND + b'{"pha')]) == 0
    assert run(["log", "validate", "--strict", "run.ndjson"]) == 1
    assert run(["log", "validate", log(SOUND + SOUND)]) == 1
    assert run(["log", "validate", "--ignore", "steps-repeat", "run.ndjson"]) == 0
    assert run(["log", "validate", log(b"")]) == 2
    assert run(["log", "validate", "nowhere.ndjson"]) == 2
    assert run(["log", "validate", "--required", "fold", log(SOUND)]) == 2
    assert "Did you mean `folds`" in capsys.readouterr().err


def test_the_answer_names_file_and_line(log: Callable[[bytes], str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["log", "validate", log(SOUND + SOUND)])

    answer = capsys.readouterr().out
    assert answer.startswith("run.ndjson:3: error[FL807] steps-repeat: steps repeat, go backwards or leave gaps\n")
    assert "saw     step 1 after 2" in answer
    assert "ill: 1 error; 4 lines" in answer


@pytest.mark.parametrize("form", ["json", "sarif", "github", "junit", "brief"])
def test_every_format_names_the_check(
    form: str, log: Callable[[bytes], str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["log", "validate", "--format", form, log(SOUND + SOUND)])

    answer = capsys.readouterr().out
    assert "steps-repeat" in answer
    if form in ("json", "sarif"):
        json.loads(answer)


def test_required_events_come_from_a_file(
    log: Callable[[bytes], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "events.toml").write_text('[events.step]\nfields = { loss = "number" }\n[events.steps_done]\n')

    assert run(["log", "validate", log(SOUND), "--required", "events.toml", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(f["name"], f["saw"]) for f in found] == [
        ("events-break-rules", "no `steps_done` among 2 events"),
        ("events-break-rules", "a `step` without `loss`, 2 times"),
    ]
