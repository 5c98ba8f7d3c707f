"""The committed list keeps numbers, is out of date when a text changes, and says when it cannot be read."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.zoo.conftest import MakeProgram, mutant_of, replacing
from zoo import verified
from zoo.errors import ZooError
from zoo.mutants import content_of
from zoo.running import Outcome
from zoo.verification import drop_outdated
from zoo.verified import Entry, Verified

MUTATION = replacing("lr=0.5", "lr=5e4", name="rate-enormous", cause="hp-lr-high")
RUNS = (Outcome("number", 0.5, 2.0), Outcome("not-a-number", None, 3.5))


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "verified.json"
    entry = Entry("abc", True, "worse", RUNS)
    known = Verified({"tiny": entry}, {"tiny/x/y": entry, "tiny/a/b": replace(entry, kept=False)})
    verified.save(known, path)
    assert verified.load(path) == known
    assert sum('"content"' in line for line in path.read_text().splitlines()) == 3
    assert entry.seconds == 2.0


def test_without_a_list_nothing_is_verified(tmp_path: Path) -> None:
    assert verified.load(tmp_path / "verified.json") == Verified()


def test_a_list_that_cannot_be_read_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "verified.json"
    path.write_text('{"programs": {}}')
    with pytest.raises(ZooError, match=r"verified\.json cannot be read .*python -m zoo verify"):
        verified.load(path)


def test_an_entry_is_out_of_date_as_soon_as_the_text_changes(make_program: MakeProgram) -> None:
    program = make_program()
    mutant = mutant_of(program, MUTATION)
    known = Verified(
        {program.slug: Entry(content_of(program), True, "healthy", RUNS)},
        {mutant.id: Entry(mutant.content, True, "worse", RUNS)},
    )
    assert known.program(program) is not None
    assert known.mutant(mutant) is not None
    drop_outdated(known, [program], [mutant])
    assert len(known.programs) == len(known.mutants) == 1

    changed = replace(program, files={"train.py": program.files["train.py"] + "\n"})
    planted_anew = mutant_of(changed, MUTATION)
    assert known.program(changed) is None
    assert known.mutant(planted_anew) is None
    drop_outdated(known, [changed], [planted_anew])
    assert known == Verified()
