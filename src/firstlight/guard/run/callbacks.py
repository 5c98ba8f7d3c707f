"""`--on-red MODULE:FUNCTION`, looked for before the program starts, without importing it."""

import importlib.machinery
import re
import sys
from pathlib import Path

from firstlight.errors import UsageError


def found(words: str, folder: Path) -> None:
    """A UsageError where there is no such module beside the program or installed, or no such name in it."""
    module, _, name = words.partition(":")
    first, *rest = module.split(".")
    spec = importlib.machinery.PathFinder.find_spec(first, [str(folder), str(Path.cwd()), *sys.path])
    if spec is None:
        raise UsageError(f"--on-red names the module `{first}`, which is neither in {folder} nor installed.")
    if rest or spec.origin is None or not spec.origin.endswith(".py"):
        return
    if not re.search(rf"\b{name}\b", Path(spec.origin).read_text(encoding="utf-8", errors="replace")):
        raise UsageError(f"--on-red names `{name}`, which {spec.origin} does not have.")
