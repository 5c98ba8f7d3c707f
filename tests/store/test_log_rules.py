from pathlib import Path

import pytest

from firstlight.errors import UsageError
from firstlight.records.events import RunStart
from firstlight.store.event_log import EventLog
from firstlight.store.log_rules import BUILT_IN, fitting, rules


def test_a_file_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "events.toml"
    path.write_text(
        'first = "begin"\npairs = [["open", "shut", "id"]]\n'
        '[events.begin]\nfields = ["name"]\nonce = true\n'
        '[events.epoch]\nfields = { n = "int", loss = "number?" }\nrising = "n"\nrequired = false\n'
    )

    read = rules(str(path))

    assert (read.first, read.pairs) == ("begin", (("open", "shut", "id"),))
    assert read.events["begin"].once
    assert read.events["begin"].fields.keys() == {"name"}
    assert read.events["epoch"].fields == {"n": int, "loss": float | None}
    assert not read.events["epoch"].required


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("first = 3", "Expected `str"),
        ("nonsense", "Expected '='"),
        ('[events.a]\nfield = ["x"]', "unknown field `field`"),
        ('[events.a]\nfields = ["a\\u0000"]', "is no name of a field"),
        ('[events.a]\nrising = " "', "is no name of a field"),
        ('[events.a]\nfields = { x = "decimal" }', "`decimal` is no type; there are int, number"),
    ],
)
def test_a_file_that_is_not_understood_is_said_to_be(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "events.toml"
    path.write_text(text)

    with pytest.raises(UsageError, match=words):
        rules(str(path))


def test_a_name_that_is_nearly_right() -> None:
    with pytest.raises(UsageError, match="Did you mean `folds`"):
        rules("fold")


def test_our_own_logs_are_held_to_what_we_promise(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.ndjson", "run")
    log.append(RunStart, argv=[], cwd_hash="", git=None, env={}, seed=None)
    log.close()

    assert fitting((tmp_path / "events.ndjson").read_bytes()) is BUILT_IN["core"]
    assert fitting(b'{"phase": "step"}\n') is BUILT_IN["any"]
    assert fitting(b"") is BUILT_IN["any"]
