"""What a script is started with."""

import sys
from pathlib import Path

import pytest
from tests.experiments.engines.conftest import spec_in

from firstlight.observe.target import Target
from firstlight.observe.watch import Watched, environment_of
from firstlight.records.program import Unseen
from firstlight.records.sighting import Sighting
from firstlight.records.training import BackwardSeen

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


def test_what_was_seen_is_found_by_its_kind_however_late_it_came() -> None:
    first = BackwardSeen(step=0, site=None, value=1.0, connected=True)
    unseen = Unseen(step=0, tap="tape", reason="")
    watched = Watched(records=[first])
    assert (watched.of(BackwardSeen), watched.of(Unseen), watched.of(Sighting)) == ([first], [], [first])

    watched.of(BackwardSeen).clear()
    watched.records += [unseen, first]
    assert (watched.of(BackwardSeen), watched.of(Unseen)) == ([first, first], [unseen])
    assert watched.of(Sighting) == [first, unseen, first]
