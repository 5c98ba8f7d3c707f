"""`firstlight doctor`: what it finds, and each combination it calls bad."""

import dataclasses
import json
from typing import Any

import pytest

from firstlight.cli import doctor
from firstlight.cli.doctor import AUTOLOAD, RULES, Found, Torch, ask_torch
from firstlight.cli.main import run

FINE = Found(python=(3, 11, 7), packages={"torch": "2.13.0+cpu", "numpy": "2.4.6"})


def broken(found: Found) -> set[str]:
    return {rule.what for rule in RULES if rule.when(found)}


def with_packages(**packages: str | None) -> Found:
    named = {name.replace("_", "-"): version for name, version in packages.items()}
    merged = {**FINE.packages, **named}
    return dataclasses.replace(FINE, packages={name: version for name, version in merged.items() if version})


def test_a_usual_environment_is_fine() -> None:
    assert broken(FINE) == set()


BAD: list[tuple[Found, set[str]]] = [
    (dataclasses.replace(FINE, python=(3, 10, 14)), {"Python before 3.11"}),
    (with_packages(torch=None), {"torch is not installed next to firstlight"}),
    (with_packages(torch="2.3.1"), {"torch before 2.4"}),
    (with_packages(torch="1.13.1+cu117"), {"torch before 2.4"}),
    (with_packages(torch="2.4.1"), {"torch before 2.5"}),
    (dataclasses.replace(FINE, environment={AUTOLOAD: "0"}), {f"{AUTOLOAD}=0"}),
    (
        dataclasses.replace(FINE, entry_point=False),
        {"the entry point `torch.backends: firstlight` is not registered"},
    ),
    (dataclasses.replace(FINE, torch=Torch(problem="x")), {"torch is installed but cannot be imported"}),
    (dataclasses.replace(FINE, torch=Torch(called_us=False)), {"torch did not call firstlight's entry point"}),
    (with_packages(numpy=None), {"torch without NumPy"}),
    (with_packages(mlflow="3.1.0"), {"MLflow 3"}),
    (with_packages(mlflow_skinny="3.1.0", sqlalchemy="2.0"), {"MLflow 3"}),
    (with_packages(mlflow_skinny="3.1.0"), {"MLflow 3", "mlflow-skinny 3 without SQLAlchemy"}),
    (dataclasses.replace(FINE, can_write=False), {"the working directory cannot be written to"}),
]


@pytest.mark.parametrize(("found", "said"), BAD)
def test_each_bad_combination_is_known(found: Found, said: set[str]) -> None:
    assert broken(found) == said


def test_every_rule_has_a_case() -> None:
    assert {rule.what for rule in RULES} == {what for _, said in BAD for what in said}


@pytest.mark.parametrize(
    "found",
    [
        with_packages(torch="2.5.0"),
        with_packages(torch="2.10.0"),
        with_packages(torch="of unknown version"),
        with_packages(mlflow="2.20.1"),
        dataclasses.replace(FINE, environment={AUTOLOAD: "1"}),
        dataclasses.replace(FINE, torch=Torch(version="2.13.0")),
        dataclasses.replace(FINE, can_fork=False),
    ],
)
def test_the_other_side_of_each_is_fine(found: Found) -> None:
    assert broken(found) == set()


def test_switching_the_call_off_is_told_once() -> None:
    found = dataclasses.replace(FINE, environment={AUTOLOAD: "0"}, torch=Torch(called_us=False))
    assert broken(found) == {f"{AUTOLOAD}=0"}


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("raise ImportError('libcudart is missing')", "ImportError: libcudart is missing"),
        ("import os; os._exit(7)", "exit code 7"),
        ("import time; time.sleep(60)", "no answer within 0.5 s"),
        ("pass", "no answer"),
        ("import sys; sys.stdout.write('noise')", "no answer"),
    ],
)
def test_a_torch_that_cannot_be_asked(program: str, problem: str) -> None:
    seconds = 0.5 if "sleep" in program else 60.0
    assert ask_torch(program, seconds).problem.startswith(problem)


def test_the_real_torch_answers_and_calls_our_entry_point(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.delenv(AUTOLOAD, raising=False)
    assert run(["doctor", "--format", "json"]) == 0
    plain: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert plain["usable"] is True
    assert plain["torch"]["problem"] == ""
    assert plain["torch"]["called_us"] is True
    assert plain["torch"]["version"] == plain["packages"]["torch"]


@pytest.mark.parametrize(("found", "code"), [(FINE, 0), (BAD[5][0], 0), (BAD[1][0], 1)])
def test_exit_code_and_text(
    found: Found, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "look", lambda _ask: found)
    assert run(["doctor"]) == code
    out = capsys.readouterr().out
    assert ("Checks can run here." in out) is (code == 0)
    for rule in RULES:
        assert (f"{rule.state}: {rule.what}" in out) is rule.when(found)


def test_without_asking_torch_nothing_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "ask_torch", lambda *_: pytest.fail("torch was asked"))
    run(["doctor", "--no-torch", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["torch"] is None
