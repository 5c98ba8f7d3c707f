import json
from pathlib import Path

import pytest

from firstlight.observe.source.excerpts import AROUND, LONGEST_LINE, excerpts
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where


def finding(file: str, line: int, saw: str = "", cell: int | None = None) -> Finding:
    return Finding(
        id="FL203",
        name="x",
        cause="loss-sign",
        category="loss",
        severity=Severity.ERROR,
        confidence=1.0,
        verified=False,
        where=Where(file=file, line=line, cell=cell),
        summary="",
        saw=saw,
        wanted="",
        likely="",
        do="",
    )


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    return tmp_path


def test_lines_around_the_finding_are_read(here: Path) -> None:
    (found,) = excerpts([finding("train.py", 10)], here)
    assert (found.first, found.lines[0], found.lines[-1]) == (10 - AROUND, f"line {10 - AROUND}", f"line {10 + AROUND}")


@pytest.mark.parametrize("line", [1, 30])
def test_the_ends_of_the_file_are_respected(here: Path, line: int) -> None:
    (found,) = excerpts([finding("train.py", line)], here)
    assert len(found.lines) == 1 + AROUND


def test_a_further_line_that_the_message_names_is_read_too(here: Path) -> None:
    found = excerpts([finding("train.py", 25, saw="made by `softmax` at train.py:3: values")], here)
    assert [one.first for one in found] == [25 - AROUND, 1]


def test_a_place_inside_an_excerpt_is_not_read_twice(here: Path) -> None:
    assert len(excerpts([finding("train.py", 10), finding("train.py", 11)], here)) == 1


@pytest.mark.parametrize(("file", "line"), [("missing.py", 1), ("train.py", 31), ("train.py", 0), (".", 1)])
def test_what_cannot_be_read_has_none(here: Path, file: str, line: int) -> None:
    assert excerpts([finding(file, line)], here) == ()


def test_a_file_outside_the_program_is_not_read(here: Path) -> None:
    inner = here / "project"
    (inner / "package").mkdir(parents=True)
    (inner / "link.py").symlink_to(here / "train.py")
    (inner / "notes.txt").write_text("line 1\n")
    named = ["../train.py", str(here / "train.py"), "link.py", "notes.txt"]
    assert excerpts([finding(name, 1) for name in named], inner) == ()
    assert excerpts([finding("x.py", 1, saw=f"made at {here}/train.py:3")], inner) == ()


def test_unless_it_is_the_program(here: Path) -> None:
    inner = here / "elsewhere"
    inner.mkdir()
    for program in (here, here / "train.py", Path("..")):
        (found,) = excerpts([finding(str(here / "train.py"), 1)], inner, [program])
        assert found.lines[0] == "line 1"


def test_long_lines_are_cut(here: Path) -> None:
    (here / "long.py").write_text("x" * 10_000)
    (found,) = excerpts([finding("long.py", 1)], here)
    assert found.lines == ("x" * LONGEST_LINE,)


def test_lines_of_a_notebook_count_within_their_cell(here: Path) -> None:
    cells = [{"cell_type": "code", "source": source} for source in ("a = 1\nb = 2", "c = 3\nd = 4\n")]
    (here / "n.ipynb").write_text(json.dumps({"cells": cells}))
    (found,) = excerpts([finding("n.ipynb", 2, cell=2)], here)
    assert (found.first, found.lines, found.cell) == (1, ("c = 3", "d = 4"), 2)
