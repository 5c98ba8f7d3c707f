from pathlib import Path

from firstlight.observe.inside.containment.removals import Removals


def test_a_removal_is_seen_by_another_process_and_hides_what_lies_beneath(tmp_path: Path) -> None:
    ours, theirs = Removals(str(tmp_path / "journal")), Removals(str(tmp_path / "journal"))
    assert not theirs.started()
    ours.add("/p/d")
    assert theirs.started()
    assert [theirs.hides(place) for place in ("/p/d", "/p/d/e/f", "/p/dd", "/p")] == [True, True, False, False]
