"""`firstlight mutate` on real programs: mutants judged as check judges, and nothing of them left behind."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from firstlight import mutation
from firstlight.cli.main import run
from firstlight.experiments.faults import FAULTS
from firstlight.observe.target import parse
from firstlight.observe.watch import Eyes
from firstlight.records.mutants import Outcome
from firstlight.records.report import Report, Verdict
from firstlight.settings import load

PROGRAM = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
centres = torch.randn(4, 16) * 2
y = torch.randint(4, (896,))
x = centres[y] + torch.randn(896, 16)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4){last})
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(12):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
"""


def mutated(folder: Path, eyes: Eyes, *names: str, last: str = "") -> Report:
    (folder / "train.py").write_text(PROGRAM.format(last=last), encoding="utf-8")
    settings = load(folder, steps=120, seconds=60.0)
    return mutation.mutate(parse(("train.py",), module=False), settings, eyes, mutation.chosen(names))


def test_each_fault_is_told_of_by_its_outcome(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("activation-twice", "layer-cut-off", "gradients-not-cleared", "clip-tiny")
    report = mutated(tmp_path, eyes, *names)
    assert report.verdict is Verdict.CLEAN
    found = {mutant.fault: mutant for mutant in report.mutants}
    assert set(found) == set(names)
    for name in names[:3]:
        assert (found[name].outcome, found[name].right) == (Outcome.CAUGHT, True), found[name]
    assert found["clip-tiny"].outcome is Outcome.NOT_APPLICABLE
    assert report.assurance is not None
    assert report.assurance.sensitivity == {"gradients": 1.0, "updates": 1.0, "answers": 1.0}
    home = Path(str(report.subject.run))
    assert json.loads((home / "report.json").read_text(encoding="utf-8"))["mutants"][0]["outcome"] == "caught"
    assert "Planted faults" in (home / "report.html").read_text(encoding="utf-8")
    assert not (home / "mutants").exists()
    assert [path.name for path in home.parent.iterdir()] == [home.name]


def test_a_program_that_is_ill_is_given_no_fault(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = mutated(tmp_path, eyes, "rate-thousandth", last=", nn.Softmax(1)")
    assert (report.verdict, report.mutants) == (Verdict.ILL, ())


def test_an_interrupt_keeps_what_is_done(eyes: Eyes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def interrupt(text: str) -> None:
        if text.startswith("1 of 2 faults judged"):
            raise KeyboardInterrupt

    report = mutated(tmp_path, replace(eyes, progress=interrupt), "clip-tiny", "rate-thousandth")
    assert [mutant.fault for mutant in report.mutants] in (["clip-tiny"], ["rate-thousandth"])
    assert not (Path(str(report.subject.run)) / "mutants").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "rate-thousand", "train.py"], "`rate-thousand` is not a fault; the nearest is `rate-thousandth`."),
        (["--only", "", "train.py"], "`--only` is empty"),
        ([], "nothing to mutate. Name a script: `firstlight mutate train.py`"),
        (["absent.py"], "no file or program named absent.py"),
        (["package.module:experiment"], "is a declared experiment"),
    ],
)
def test_a_mistake_is_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mutate", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_faults_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mutate", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [fault.name for fault in FAULTS]
