"""What a script is started with."""

import sys
from pathlib import Path

import pytest
from tests.experiments.engines.conftest import spec_in

from firstlight.observe.target import Target
from firstlight.observe.watch import environment_of

TARGET = Target(("train.py",), (sys.executable, "train.py"), "train.py", sys.executable)


def test_its_temporary_files_vanish_and_everything_of_the_users_is_kept(tmp_path: Path) -> None:
    with environment_of(TARGET, spec_in(tmp_path), {"MINE": "1", "PYTHONHASHSEED": "3"}) as found:
        temporary = Path(found["TMPDIR"])
        assert temporary.is_dir()
        assert (found["MINE"], found["PYTHONHASHSEED"]) == ("1", "3")
    assert not temporary.exists()


@pytest.mark.parametrize(("users", "given"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_the_user_says_otherwise(
    tmp_path: Path, users: dict[str, str], given: str
) -> None:
    with environment_of(TARGET, spec_in(tmp_path), users) as found:
        assert found["OMP_WAIT_POLICY"] == given
