"""Which programs share one import of torch with what is run of them again."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.experiments.engines.conftest import spec_in

from firstlight.experiments.engines.warm import sharing
from firstlight.observe.process import Process, popen
from firstlight.observe.target import parse
from firstlight.observe.watch import Means

PLAIN = "import torch\n"
SETS_THREADS = "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nimport torch\n"


@pytest.fixture
def shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    monkeypatch.chdir(tmp_path)
    spec = spec_in(tmp_path)

    def asked(text: str, *words: str, means: Means | None = None, again: bool = True) -> bool:
        (tmp_path / "train.py").write_text(text, encoding="utf-8")
        given = means or Means()
        with sharing(parse((*words, "train.py"), module=False), spec, given, again=again) as found:
            return found is not given

    return asked


@pytest.mark.skipif(sys.platform != "linux", reason="programs themselves are forked with torch imported on Linux alone")
def test_a_script_that_begins_with_torch_and_is_run_again_shares_its_import(shares: Callable[..., bool]) -> None:
    assert shares(PLAIN)
    assert shares(PLAIN, sys.executable, "-u")


def test_others_are_started_by_themselves(shares: Callable[..., bool]) -> None:
    assert not shares(SETS_THREADS), "it would have set the environment first"
    assert not shares(PLAIN, again=False)
    launcher = str(Path(sys.executable).with_name("torchrun"))
    assert not shares(PLAIN, launcher), "a launcher starts processes of its own"


def test_whoever_starts_programs_already_goes_on_to(shares: Callable[..., bool]) -> None:
    def start(*_: object) -> Process:
        raise NotImplementedError

    assert start is not popen
    assert not shares(PLAIN, means=Means(start=start))
