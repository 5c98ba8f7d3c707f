"""Copies of a declared training are made for the checks that are about them."""

from pathlib import Path

import pytest

import firstlight as fl
from firstlight.judge.orders import CONTROLS
from firstlight.settings import load
from firstlight.store.run_directory import RunDirectory
from firstlight.survey import Survey, asked


def controls(folder: Path, profile: str, *select: str) -> tuple[str, ...]:
    settings = load(folder, profile=profile, select=select or None)
    made = Survey(fl.Experiment(model=dict), asked(settings), settings, RunDirectory(folder), lambda _text: None)
    return made._controls


def test_all_checks_want_them(tmp_path: Path) -> None:
    assert controls(tmp_path, "standard") == CONTROLS["standard"]
    assert controls(tmp_path, "quick") == ()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("positions-ignored", False), ("classes-unseen", False), ("gradients-all-zero", True), ("pairing-is-lost", True)],
    ids=["of a probe", "of the data", "with a repair to try", "about copies"],
)
def test_a_check_asked_by_name_gets_what_it_needs(tmp_path: Path, name: str, wanted: bool) -> None:
    assert controls(tmp_path, "standard", name) == (CONTROLS["standard"] if wanted else ())
