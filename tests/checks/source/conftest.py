"""`lint(code, name)`: what one check finds in a text. Line and words of everything found stand in `seen.json`."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from firstlight.checks.catalogue import named
from firstlight.linting import Linter
from firstlight.records.finding import Finding

Lint = Callable[[str, str], list[Finding]]
Hold = Callable[[str, str, Sequence[Finding]], None]
SEEN = Path(__file__).with_name("seen.json")
REWRITE = "REWRITE_SEEN"
"""Set in the environment of `pytest -n 0 tests/checks/source`, it writes the file anew, to be read and committed."""


@pytest.fixture(scope="session")
def hold() -> Iterator[Hold]:
    """Holds what was found in a text to what is known of it: each with its line, the text there, and its words."""
    rewriting = REWRITE in os.environ
    known: dict[str, list[str]] = {} if rewriting else json.loads(SEEN.read_text(encoding="utf-8"))

    def held(code: str, name: str, found: Sequence[Finding]) -> None:
        key = f"{name} {hashlib.sha256(code.encode()).hexdigest()[:12]}"
        lines = code.splitlines()
        told = [f"{one.where.line}: {_line(lines, one.where.line)} | {one.saw}" for one in found]
        if rewriting:
            known[key] = told
        assert told == known.get(key, []), f"what {name} says of this text is not what `seen.json` has"

    yield held
    if rewriting:
        seen = {key: told for key, told in sorted(known.items()) if told}
        SEEN.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _line(lines: list[str], number: int | None) -> str:
    return lines[number - 1].strip() if number is not None and 0 < number <= len(lines) else ""


@pytest.fixture
def lint(tmp_path: Path, hold: Hold) -> Lint:
    def run(code: str, name: str) -> list[Finding]:
        check = named(name)
        assert check is not None
        path = tmp_path / "train.py"
        data = code.encode()
        path.write_bytes(data)
        every = Linter([check], tmp_path).entry(path, data).findings
        found = [finding for finding in every if finding.id == check.id]
        hold(code, name, found)
        return found

    return run
