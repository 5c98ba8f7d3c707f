"""`lint(code, name)`: what one check finds in a text, as `line: what was seen`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firstlight.checks.catalogue import named
from firstlight.linting import Linter
from firstlight.records.finding import Finding

Lint = Callable[[str, str], list[Finding]]


@pytest.fixture
def lint(tmp_path: Path) -> Lint:
    def run(code: str, name: str) -> list[Finding]:
        check = named(name)
        assert check is not None
        path = tmp_path / "train.py"
        data = code.encode()
        path.write_bytes(data)
        found = Linter([check], tmp_path).entry(path, data).findings
        return [finding for finding in found if finding.id == check.id]

    return run
