"""Whole runs of real programs with something varied: seeds, sources of luck, parts switched off, other engines."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.cli.main import run as command
from firstlight.experiments.engines.warm import WarmParent
from firstlight.lab import seeds
from firstlight.lab.metric import TRAINING_LOSS
from firstlight.lab.trials import Run, RunChoices, Runner
from firstlight.observe.target import Target, parse
from firstlight.store.run_directory import RunDirectory

Bench = Callable[..., Runner]

PROGRAM = """import sys, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(3)
fixed = torch.Generator().manual_seed(1)
x = torch.randn(64, 8, generator=fixed)
y = x[:, :1] - x[:, 1:2]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(8, 1)
    def forward(self, x):
        return self.last(self.drop(self.norm(torch.relu(self.first(x)))))
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=float((sys.argv[1:] or ["0.02"])[0]), weight_decay=0.1)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
for _ in range(3):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(a), b) + 0.01 * model.last.weight.pow(2).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    schedule.step()
model.eval()
print(f"val_loss: {nn.functional.mse_loss(model(x), y).item():.6f}")
"""


@pytest.fixture
def bench(warm: WarmParent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.chdir(tmp_path)

    def make(tell: Callable[[str], None] = lambda _text: None, **choices: object) -> Runner:
        return Runner(RunDirectory.create(tmp_path), RunChoices(**choices), tell, warm.start)  # type: ignore[arg-type]

    return make


def script(source: str, *words: str, name: str = "train.py") -> Target:
    Path(name).write_text(source, encoding="utf-8")
    return parse((name, *words), module=False)


def values(made: Runner, runs: list[Run], name: str = "val_loss") -> list[float]:
    found = made.run(runs)
    assert [trial.message for trial in found if trial is not None and trial.exit_code != 0] == []
    return [trial.values[name][-1] for trial in found if trial is not None]


def test_a_script_that_fixes_its_seed_is_run_with_others_and_each_repeats(bench: Bench) -> None:
    target = script(PROGRAM)
    made = bench(fresh=True)
    asked = [Run(name="a", target=target, seed=seed) for seed in (0, 1, 2)]
    first = made.run(asked)
    assert all(trial is not None and trial.seeded == ("torch.manual_seed",) and trial.steps == 12 for trial in first)
    assert all(trial is not None and len(trial.values[TRAINING_LOSS]) == 12 for trial in first)
    found = [trial.values["val_loss"] for trial in first if trial is not None]
    assert len(set(found)) == 3
    assert [(value,) for value in values(bench(fresh=True), asked)] == found


def test_runs_that_are_done_are_kept_over_an_interrupt(bench: Bench) -> None:
    target = script(PROGRAM)
    asked = [Run(name="a", target=target, seed=seed) for seed in range(3)]

    def tell(text: str) -> None:
        if text.startswith("2 of 3"):
            raise KeyboardInterrupt

    made = bench(tell, jobs=1)
    found = made.run(asked)
    assert [trial is None for trial in found] == [False, False, True]
    assert made.interrupted
    again = bench(jobs=1)
    assert values(again, asked)[:2] == [trial.values["val_loss"][-1] for trial in found if trial is not None]
    assert again.recalled == 2


SOURCES = """import torch
from torch import nn
torch.manual_seed(0)
data = torch.randn(()).item()
init = nn.Linear(1, 1, bias=False).weight.item()
class Drop(nn.Module):
    def forward(self, x):
        return torch.rand_like(x)
drop = Drop().train()(torch.zeros(1, requires_grad=True)).item()
loader = torch.utils.data.DataLoader(list(range(100)), shuffle=True)
order = next(iter(loader)).item()
"""


def test_a_source_that_is_varied_alone_moves_only_what_is_drawn_from_it(bench: Bench) -> None:
    target = script(SOURCES + "print(f'a_init: {init} a_drop: {drop} an_order: {order:.1f} a_data: {data}')\n")
    names = {"init": "a_init", "dropout": "a_drop", "order": "an_order", "data": "a_data"}
    first, *others = bench().run([seeds.varied(target, source, 3)[at] for source, at in VARIED])
    assert first is not None
    for (source, _), other in zip(VARIED[1:], others, strict=True):
        assert other is not None
        assert {name for name, told in names.items() if other.values[told] != first.values[told]} == {source}


VARIED = (("init", 0), ("init", 1), ("dropout", 1), ("order", 1), ("order", 2), ("data", 1))


def test_seeds_tells_the_spread_its_source_and_where_runs_of_one_seed_part(bench: Bench) -> None:
    source = SOURCES + "x = torch.ones(2)\ny = x * (1 + hash('a') % 1000)\nprint(f'val_score: {init} {float(y[0])}')\n"
    question = seeds.SeedsQuestion(seeds=2, sources=("init",), each=2)
    report = seeds.of_runs(script(source), question, bench())
    assert report.numbers["share.init"] == 1.0
    assert report.numbers["deterministic"] is False
    assert (report.numbers["parts_in"], report.numbers["parts_at"]) == (
        "mul",
        f"train.py:{len(source.splitlines()) - 1}",
    )
    assert "initialization changes it most (100%)" in report.answer


def test_each_part_that_a_program_has_is_found_and_goes_off(bench: Bench) -> None:
    target = script(PROGRAM)
    made = bench()
    (survey,) = made.run([Run(name="a", target=target, orders=("survey",))])
    assert survey is not None
    parts = (
        "clipping",
        "dropout",
        "layer-first",
        "loss-term-1",
        "loss-term-2",
        "normalisation",
        "schedule",
        "weight-decay",
    )
    assert tuple(sorted(survey.parts)) == parts
    base, *without = values(
        made,
        [Run(name="a", target=target, orders=("eager", *off)) for off in ((), *((f"off={one}",) for one in parts))],
    )
    assert base not in without
    assert len(set(without)) == len(parts)
    assert survey.values["val_loss"][-1] == base


def test_a_comparison_of_tables_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, gain in (("a", 0.0), ("b", 0.1)):
        rows = "".join(f"{seed},{0.5 + 0.01 * seed + gain + 0.001 * (seed % 2)}\n" for seed in range(5))
        (tmp_path / f"{name}.csv").write_text(f"seed,val_acc\n{rows}", encoding="utf-8")
    assert command(["compare", "--format", "json", "a.csv", "b.csv"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["answer"].startswith("b.csv is better than a.csv in `val_acc`")
    assert (tmp_path / report["run"] / "lab.html").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["compare", "train.py"], "compare needs two variants. Name"),
        (["compare", "train.py", "train.py"], "the variants are the same"),
        (["compare", "train.py --lr 1", "train.py  --lr 1"], "the variants are the same"),
        (["compare", "--arg", "lr=1,1", "train.py"], "the variants are the same"),
        (["compare", "--arg", "lr", "train.py"], "is not NAME=V1,V2"),
        (["compare", "--arg", "lr=1", "train.py"], "gives one value"),
        (["compare", "none.py", "train.py"], "compare needs two variants, and there is no file `none.py`. Name"),
        (["compare", "train.py", "none.py"], "and there is no file `none.py`. Name"),
        (["seeds"], "nothing to seeds"),
        (["seeds", "--sources", "inti", "train.py"], "`inti` is not a source; the nearest is `init`"),
        (["ablate", "none.py"], "no file or program named none.py"),
        (["bisect", "a.toml", "b.toml"], "bisect needs three things"),
        (["bisect", "nothing", "nowhere", "train.py"], "neither a configuration file"),
        (["bisect", "good.json", "bad.json", "train.py"], "put `{}` where the script takes its configuration"),
        (["bisect", "good.json", "good.json", "train.py", "{}"], "the two do not differ"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    (tmp_path / "good.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "bad.json").write_text('{"a": 2}', encoding="utf-8")
    assert command(words) == 2
    assert says in capsys.readouterr().err
