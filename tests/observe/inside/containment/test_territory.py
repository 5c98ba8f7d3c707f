from pathlib import Path

from firstlight.observe.inside.containment.territory import Territory


def test_the_longest_prefix_decides_and_what_has_none_is_held() -> None:
    territory = Territory((Path("/tmp"), Path("/home/proj/.venv")), (Path("/tmp/proj"), Path("/home/proj")))
    held = {place: territory.held(place) for place in (
        "/tmp/x", "/tmp/proj/x", "/tmp/project", "/home/proj/x", "/home/proj/.venv/x", "/data/x", "/data/__pycache__/x",
    )}  # fmt: skip
    assert [place for place, is_held in held.items() if not is_held] == ["/tmp/x", "/tmp/project", "/home/proj/.venv/x"]


def test_a_pass_beats_a_hold_of_the_same_length() -> None:
    assert not Territory((Path("/tmp"),), (Path("/tmp"),)).held("/tmp/x")
