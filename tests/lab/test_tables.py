"""Metrics of runs that are over, from tables and folders."""

from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.lab import tables


def test_rows_are_runs_and_their_column_tells_the_variant(tmp_path: Path) -> None:
    table = tmp_path / "all.csv"
    table.write_text("variant,seed,val_acc,note\na,3,0.8,x\nb,3,0.9,y\na,4,0.7,\n", encoding="utf-8")
    found = tables.read(str(table))
    assert {name: [(run.seed, run.values["val_acc"]) for run in runs] for name, runs in found.items()} == {
        "a": [(3, (0.8,)), (4, (0.7,))],
        "b": [(3, (0.9,))],
    }


def test_lines_of_json_are_rows_and_without_a_seed_their_order_is(tmp_path: Path) -> None:
    table = tmp_path / "runs.jsonl"
    table.write_text('{"val_acc": 0.8}\n\n{"val_acc": "NaN"}\n', encoding="utf-8")
    (runs,) = tables.read(str(table)).values()
    assert [run.seed for run in runs] == [0, 1]


def test_each_table_of_a_folder_is_a_run(tmp_path: Path) -> None:
    for seed in (0, 1):
        (tmp_path / f"run{seed}").mkdir()
        (tmp_path / f"run{seed}" / "metrics.csv").write_text(
            f"step,val_loss\n0,0.9\n1,0.{seed + 4}\n", encoding="utf-8"
        )
    (runs,) = tables.read(str(tmp_path)).values()
    assert [run.values["val_loss"][-1] for run in runs] == [0.4, 0.5]


def test_a_run_directory_of_ours_is_one_run(tmp_path: Path) -> None:
    steps = "".join(f'{{"phase": "step", "seq": {at}, "loss": 0.{9 - at}}}\n' for at in range(3))
    (tmp_path / "events.ndjson").write_text(steps, encoding="utf-8")
    (tmp_path / "report.json").write_text('{"seconds": 3.0}', encoding="utf-8")
    ((run,),) = tables.read(str(tmp_path)).values()
    assert run.values["loss"] == (0.9, 0.8, 0.7)


@pytest.mark.parametrize(("name", "text"), [("bad.json", "{"), ("empty.csv", ""), ("bad.jsonl", "no json")])
def test_what_is_no_table_is_said_to_be_none(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=name):
        tables.read(str(tmp_path / name))


def test_a_folder_without_runs_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run that reports a number"):
        tables.read(str(tmp_path))
