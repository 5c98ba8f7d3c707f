"""What was run once is remembered, whatever ended the process that ran it."""

from pathlib import Path

from zoo.cache import Cache


def test_entries_are_there_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "runs.jsonl"
    first = Cache(path)
    assert first.get("a") is None
    first.put("a", {"metric": 0.5})
    first.put("a", {"metric": 0.75})
    assert first.get("a") == Cache(path).get("a") == {"metric": 0.75}


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Cache(path).put("a", {"metric": 0.5})
    with path.open("a") as file:
        file.write('{"key": "b", "val\n[]\n')
    again = Cache(path)
    assert again.get("a") == {"metric": 0.5}
    assert again.get("b") is None
    again.put("b", {"metric": 1.0})
    assert Cache(path).get("b") == {"metric": 1.0}
