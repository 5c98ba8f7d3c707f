"""Pieces that fail in every way pieces fail: a clear finding, and never a traceback of ours."""

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import firstlight as fl
from firstlight.errors import UsageError
from firstlight.judge.verdict import exit_code
from firstlight.records.finding import Finding
from firstlight.records.report import Report, Verdict

INPUTS = torch.randn(32, 4, generator=torch.Generator().manual_seed(0))
BATCH = (INPUTS, (INPUTS[:, 0] > 0).long())


def linear() -> nn.Module:
    return nn.Linear(4, 2)


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def experiment(**pieces: Any) -> fl.Experiment:
    usual: dict[str, Any] = {"model": linear, "train": [BATCH], "loss": F.cross_entropy}
    return fl.Experiment(**(usual | pieces))


def report_of(**pieces: Any) -> Report:
    return fl.preflight(experiment(**pieces))


def stumble(**pieces: Any) -> Finding:
    report = report_of(**pieces)
    assert report.verdict is Verdict.ILL
    (finding,) = [finding for finding in report.findings if finding.severity == "error"]
    assert finding.name == "piece-raises"
    return finding


def test_a_factory_that_raises() -> None:
    def broken() -> nn.Module:
        raise ValueError("no such size: tiny")

    finding = stumble(model=broken)

    assert finding.saw == "`model`, building it: raised ValueError: no such size: tiny"
    assert (finding.where.file or "").endswith("test_bad_input.py")


def test_a_factory_that_gives_something_else() -> None:
    assert stumble(model=lambda: "resnet50").saw == "`model`, building it: it gave a str, not a torch.nn.Module"


def test_a_factory_that_ends_the_program() -> None:
    def leaves() -> nn.Module:
        sys.exit("no configuration")

    assert stumble(model=leaves).saw == "`model`, building it: raised SystemExit: no configuration"


def test_a_factory_that_interrupts_is_not_passed_over() -> None:
    def interrupts() -> nn.Module:
        raise KeyboardInterrupt

    assert "FL031" in [finding.id for finding in report_of(model=interrupts).findings]


def test_a_model_without_values() -> None:
    assert "on the meta device" in stumble(model=lambda: nn.Linear(4, 2, device="meta")).saw


def test_features_that_are_no_table() -> None:
    finding = stumble(frame={"a": INPUTS}, features=lambda _frame: None)

    assert finding.saw == "`features`, computing them: they gave a NoneType without numeric columns"


def test_what_has_no_line_of_its_own_is_told_at_the_declaration() -> None:
    where = stumble(loss=nn.CrossEntropyLoss(reduction="none")).where

    assert (where.file or "").endswith("test_bad_input.py")


def test_a_loss_that_is_cut_off() -> None:
    assert stumble(loss=lambda o, t: F.cross_entropy(o, t).detach()).cause == "loss-detached"


def test_a_gate_that_is_interrupted_says_so_and_leaves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr("firstlight.survey.survey", interrupted)
    with pytest.raises(SystemExit) as raised:
        fl.gate(experiment())

    assert raised.value.code == 130
    assert capsys.readouterr().err == (
        "firstlight: interrupted while checking; the experiment is as it was, and was not started.\n"
    )


def test_an_empty_loader() -> None:
    assert stumble(train=[]).saw == "`train`, reading its first batch: it is empty: there is no batch in it"


def test_a_loader_of_strings() -> None:
    assert "there is no tensor in it: list of str" in stumble(train=[["good", "bad"]]).saw


def test_a_loader_that_never_ends() -> None:
    class Endless:
        def __iter__(self) -> Iterator[Any]:
            return itertools.repeat(BATCH)

    report = report_of(train=Endless(), optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=1e-2))

    assert report.verdict is not Verdict.UNJUDGED
    assert "probe-overruns" not in [finding.name for finding in report.findings]


def test_a_loss_that_gives_a_vector() -> None:
    finding = stumble(loss=nn.CrossEntropyLoss(reduction="none"))

    assert "it gave (32,) values, not one number; take their mean" in finding.saw


def test_memory_that_runs_out() -> None:
    class Hungry(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(4, 2))

        def forward(self, _inputs: torch.Tensor) -> torch.Tensor:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 80.00 GiB")

    finding = stumble(model=Hungry)

    assert finding.cause == "env-memory"
    assert "Tried to allocate 80.00 GiB" in finding.saw


def test_nothing_but_a_model_is_built_and_not_judged() -> None:
    report = fl.preflight(fl.Experiment(model=linear))

    assert report.verdict is Verdict.UNJUDGED
    assert (report.environment["weights"], report.environment["device"]) == (10, "cpu")
    reasons = {check.name: check.reason for check in report.checks if check.status == "skipped"}
    assert reasons["initial-loss-off"] == "the experiment does not declare `data` and `loss` or `step`"
    assert "model-built-differently" not in reasons


def test_an_optimizer_that_raises_is_told_although_everything_before_it_works() -> None:
    report = report_of(optimizer=lambda model: torch.optim.SGD([], lr=0.1))

    assert [f.name for f in report.findings if f.severity == "error"] == ["piece-raises"]


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ({"model": None}, "`model` is None"),
        ({"train": iter([BATCH])}, "can be read only once"),
        ({"train": INPUTS}, "One single batch goes into `batch=`"),
        ({"train": 7}, "`train` is a int"),
        ({"loss": "mse"}, "`loss` is a str"),
        ({"optimizer": "adam"}, "such as `lambda m: torch.optim.AdamW"),
        ({"step": lambda m, b: m(b)}, "`loss` and `step` are both given"),
        ({"scheduler": lambda o: o}, "`scheduler` is given without `optimizer`"),
        ({"task": "classify"}, "it takes classification, binary"),
        ({"checkpoint": "none.pt"}, "which is no file"),
        ({"checkpoint": 3}, "a pair of functions (save, load)"),
        ({"invariants": [{"name": "a", "on": "output"}]}, "lacks check"),
        ({"invariants": [{"name": "a", "on": "output", "check": "__import__('os')"}]}, "is not understood"),
        ({"total_steps": 0}, "`total_steps` is 0"),
        ({"selector": 3}, "it takes what has `record(epoch, **metrics)` and `select()`"),
        ({"metric": "accuracy"}, "`metric` is a str"),
    ],
)
def test_misuse_is_told_when_it_is_declared(pieces: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        experiment(**pieces)

    assert told in str(raised.value)


def test_something_that_is_no_experiment() -> None:
    check: Callable[..., Any] = fl.preflight
    with pytest.raises(UsageError, match=r"takes a firstlight\.Experiment and was given a Linear"):
        check(nn.Linear(1, 1))


def test_a_wrong_profile_is_named_as_python_has_it() -> None:
    with pytest.raises(UsageError, match=r"^`profile` is 'fast'; it takes quick, standard, deep"):
        fl.preflight(experiment(), profile="fast")


def test_an_experiment_of_which_nothing_can_be_asked_is_not_judged() -> None:
    report = fl.preflight(fl.Experiment(model=linear))

    assert (report.verdict, exit_code(report, strict=False)) == (Verdict.UNJUDGED, 2)
    assert (report.reason or "").endswith("does not declare `data` and `loss` or `step` and `optimizer`")
    assert fl.gate(fl.Experiment(model=linear)) is not None  # only an ill experiment ends the program


def test_a_verdict_without_training_says_what_it_rests_on() -> None:
    report = fl.preflight(fl.Experiment(model=linear, batch=BATCH))

    assert (report.verdict, exit_code(report, strict=False)) == (Verdict.CLEAN, 0)
    assert (report.reason or "").startswith("nothing found by the ")
    assert (report.reason or "").endswith(
        "nothing was trained, because the experiment does not declare `loss` or `step` and `optimizer`"
    )
    assert report.coverage.ended == "nothing was trained"
    assert "0 steps" not in " ".join(report.coverage.limits)


def test_a_check_that_was_asked_for_by_name_and_ran_is_a_judgement() -> None:
    report = fl.preflight(fl.Experiment(model=linear), select=["FL445"])

    assert (report.verdict, report.reason) == (Verdict.CLEAN, None)


def test_a_misspelt_piece_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"Experiment takes no `trian`\. Was `train` meant"):
        fl.Experiment(model=linear, trian=[BATCH])  # type: ignore[call-arg]


def test_a_data_set_is_no_loader() -> None:
    with pytest.raises(UsageError, match="a data set of single examples; it takes a loader of batches"):
        experiment(train=torch.utils.data.TensorDataset(*BATCH))


def test_a_function_is_no_rule_that_can_be_written_down() -> None:
    with pytest.raises(UsageError, match="`check` is a function; it takes a comparison as text"):
        fl.Invariant(name="positive", on="output", check=lambda x: x > 0)  # type: ignore[arg-type]


def test_one_check_may_be_selected_by_its_name_alone() -> None:
    report = fl.preflight(experiment(optimizer=torch.optim.SGD), select="FL531")
    assert [outcome.id for outcome in report.checks if not outcome.id.startswith("FL0")] == ["FL531"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_batch_of_names_is_given_whole_or_by_name_as_the_model_takes_it(whole: bool) -> None:
    class Whole(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = linear()

        def forward(self, batch: dict[str, torch.Tensor]) -> Any:
            return self.inner(batch["x"])

    class Named(Whole):
        def forward(self, x: Any) -> Any:
            return super().forward({"x": x})

    batch = {"x": BATCH[0], "labels": BATCH[1]}
    report = fl.preflight(experiment(model=Whole if whole else Named, train=[batch]), select="FL531")
    assert not [finding for finding in report.findings if finding.id.startswith("FL03")]
