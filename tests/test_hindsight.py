"""`firstlight diagnose --from csv:…`, from the words typed to the words read."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from firstlight.cli.main import run


def written(path: Path, rows: list[tuple[Any, ...]], *header: str, delimiter: str = ",") -> Path:
    lines = [header, *rows]
    path.write_text("\n".join(delimiter.join(map(str, line)) for line in lines) + "\n", encoding="utf-8")
    return path


def diagnosed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = run(["diagnose", *words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_healthy_curve_is_clean_and_says_what_was_not_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(at, 2.3 * math.exp(-at / 40) + 0.1) for at in range(200)]
    code, report = diagnosed(capsys, "--from", f"csv:{written(tmp_path / 'log.csv', rows, 'step', 'train/loss')}")
    assert (code, report["verdict"], report["diagnosis"]) == (0, "clean", [])
    assert any("only curves were seen" in limit for limit in report["coverage"]["limits"])
    assert any("not logged: validation loss, learning rate" in limit for limit in report["coverage"]["limits"])


def test_a_nan_is_ill_and_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(at, "nan" if at > 90 else 2.0 - at / 100) for at in range(120)]
    code, report = diagnosed(capsys, "--from", f"csv:{written(tmp_path / 'log.csv', rows, 'step', 'loss')}")
    assert (code, report["verdict"]) == (1, "ill")
    assert report["findings"][0]["where"]["step"] == 91
    roles = {hypothesis["role"] for hypothesis in report["diagnosis"]}
    assert {"likely", "subtle"} <= roles
    assert all(hypothesis["probability"] >= 0.05 for hypothesis in report["diagnosis"])
    assert report["diagnosis"][0]["cause"] in {"data-nonfinite", "num-nonfinite", "hp-lr-high", "num-precision"}


def test_a_rate_of_zero_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(at, 2.3 + 0.001 * (at % 3), 0.0) for at in range(100)]
    code, report = diagnosed(capsys, "--from", f"csv:{written(tmp_path / 'l.csv', rows, 'step', 'loss', 'lr-SGD')}")
    assert (code, report["verdict"]) == (0, "warn")
    assert report["diagnosis"][0]["cause"] == "train-schedule"


def test_the_user_s_symptom_counts_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(at, 2.0 - at / 100) for at in range(100)]
    path = written(tmp_path / "log.csv", rows, "step", "loss")
    _, report = diagnosed(capsys, "--symptom", "val acc stuck at chance", "--from", f"csv:{path}")
    assert report["diagnosis"]


@pytest.mark.parametrize(("symptom", "contradicted"), [("the loss rises from the start", 1), ("seeds disagree", 0)])
def test_a_symptom_that_the_curve_contradicts_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], symptom: str, contradicted: int
) -> None:
    path = written(tmp_path / "log.csv", [(at, 2.0 - at / 100) for at in range(100)], "step", "loss")
    _, report = diagnosed(capsys, "--symptom", symptom, "--from", f"csv:{path}")
    told = [limit for limit in report["coverage"]["limits"] if "the observations say otherwise" in limit]
    assert len(told) == contradicted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("step,speed\n1,2\n2,3\n", "named like a training loss"),
        ("step,loss\n1,2\n2,3\n", "has 2 points"),
    ],
)
def test_what_cannot_be_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    (tmp_path / "log.csv").write_text(text, encoding="utf-8")
    code, report = diagnosed(capsys, "--from", f"csv:{tmp_path / 'log.csv'}")
    assert (code, report["verdict"], report["diagnosis"]) == (2, "unjudged", [])
    assert said in report["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "csv:nowhere.csv"], "nowhere.csv cannot be read"),
        (["--from", "excel:a.xls"], "Accepted are csv:FILE"),
        (["--from", "csv"], "Accepted are csv:FILE"),
        (["--from", "csv:a.csv", "train.py"], "cannot be combined with `train.py`"),
    ],
)
def test_usage(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert run(["diagnose", *words]) == 2
    assert said in capsys.readouterr().err
