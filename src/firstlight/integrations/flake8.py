"""A flake8 plug-in: the same findings, as `FL7xx` codes that `# noqa: FL706` silences. No judgement inside."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from firstlight import __version__
from firstlight.linting import Linter
from firstlight.settings import enabled, load


class Plugin:
    """flake8 makes one for each file, with the arguments it finds in the signature."""

    name = "firstlight"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._path = Path(filename)
        self._data = "".join(lines).encode("utf-8", "surrogateescape")

    def run(self) -> Iterator[tuple[int, int, str, type["Plugin"]]]:
        base = Path.cwd()
        checks = enabled(load(base))
        path = base / self._path.name if self._path.name in ("-", "stdin") else self._path.resolve()
        entry = Linter(checks, base).entry(path, self._data)
        shown = path.relative_to(base).as_posix() if base in path.parents else str(path)
        for finding in entry.findings:
            if finding.where.file == shown and finding.id.startswith("FL7"):
                text = f"{finding.id} {finding.name}: {finding.summary}; {finding.saw}"
                yield finding.where.line or 1, finding.where.column or 0, text, type(self)
