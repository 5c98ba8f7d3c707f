"""Whatever a file contains, it is judged or told to be unreadable, and the same text gives the same answer."""

import ast
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.linting import Linter
from firstlight.records.finding import Finding

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*/*.py"))
CHECKS = [check for check in CATALOGUE if check.needs in READ_FROM_SOURCE or check.id == "FL001"]
WORDS = [word for path in EXAMPLES[:40] for word in path.read_text().split(" ")]

few = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def judged(data: bytes, folder: Path, name: str = "any.py") -> tuple[Finding, ...]:
    path = folder / name
    first = Linter(CHECKS, folder).entry(path, data).findings
    assert first == Linter(CHECKS, folder).entry(path, data).findings
    assert [finding.saw for finding in first if finding.id == "FL001"] == []
    return first


@few
@given(data=st.binary(max_size=300))
def test_random_bytes(tmp_path: Path, data: bytes) -> None:
    judged(data, tmp_path)
    judged(data, tmp_path, "any.ipynb")


@few
@given(data=st.binary(max_size=80))
def test_random_bytes_after_an_import(tmp_path: Path, data: bytes) -> None:
    judged(b"import torch\n" + data, tmp_path)


@few
@given(seed=st.integers(0, 2**32), changes=st.integers(1, 8))
def test_mutated_programs(tmp_path: Path, seed: int, changes: int) -> None:
    """Statements of real programs moved, repeated and dropped, at any depth."""
    chance = random.Random(seed)
    tree = ast.parse(chance.choice([path for path in EXAMPLES if "unreadable" not in str(path)]).read_text())
    for _ in range(changes):
        bodies = [body for node in ast.walk(tree) if isinstance(body := getattr(node, "body", None), list) and body]
        one, other = chance.choice(bodies), chance.choice(bodies)
        moved = chance.choice(one)
        if not any(inner is other for inner in (getattr(node, "body", None) for node in ast.walk(moved))):
            other.insert(chance.randrange(len(other) + 1), moved)
    judged(ast.unparse(tree).encode(), tmp_path)


@few
@given(words=st.lists(st.sampled_from(WORDS), max_size=60))
def test_shuffled_words(tmp_path: Path, words: list[str]) -> None:
    judged(b"import torch\n" + " ".join(words).encode(), tmp_path)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"def f(:\n", "invalid syntax"),
        (b"x = 1\n\0", "null bytes"),
        (b"# -*- coding: klingon -*-\nx = 1\n", "encoding"),
        (b"x = '\xff'\n", "encoding"),
        (b"import torch\nx = " + b"(" * 5000 + b"1" + b")" * 5000, "nested"),
        (b"import torch\nx = " + b"+".join([b"1"] * 20000), "nested"),
        (b"#" * 5_000_000, "MB"),
    ],
    ids=["syntax", "null", "unknown-encoding", "wrong-encoding", "brackets", "sum", "huge"],
)
def test_what_cannot_be_read_is_told_once(tmp_path: Path, data: bytes, told: str) -> None:
    (finding,) = judged(data, tmp_path)

    assert finding.name == "source-unreadable"
    assert told in finding.saw


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xef\xbb\xbfimport torch\n", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1")]
)
def test_odd_but_sound_files_are_clean(tmp_path: Path, data: bytes) -> None:
    assert judged(data, tmp_path) == ()


@pytest.mark.parametrize(
    "data", [b"[]", b"{}", b'{"cells": 3}', b'{"cells": [{}]}', b'{"cells": [{"cell_type": "code", "source": 3}]}']
)
def test_broken_notebooks_are_no_fault_of_ours(tmp_path: Path, data: bytes) -> None:
    assert {finding.name for finding in judged(data, tmp_path, "any.ipynb")} <= {"source-unreadable"}
