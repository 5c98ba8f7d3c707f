"""What a script does before it has torch imported: whether it would notice that torch was there from its first line.

What comes before is harmless where it is definitions, plain assignments and imports of modules that leave the process
as it is. The environment is read when torch is imported, and other modules may stand in for those that torch needs.
"""

import ast
from collections.abc import Iterable
from pathlib import Path

from firstlight.observe.source.project import NEVER_LOCAL
from firstlight.observe.source.reading import read

TELLING = frozenset(
    {"environ", "putenv", "unsetenv", "setenv", "modules", "path", "meta_path", "path_hooks", "import_module"}
    | {"__import__", "exec", "eval", "run_path", "run_module", "orig_argv", "set_start_method", "dlopen", "CDLL"}
)
"""Names by which code changes what an import finds, or what a library reads when it is imported."""
TORCHS_OWN = frozenset({"torch", "torchvision", "torchaudio", "torchtext"})
"""To import one of these is to import torch, and nothing before it."""


def notices_torch(script: Path) -> bool:
    """True where anything is in doubt, a script that cannot be read or that never imports torch among it."""
    return _torch_comes(script, set()) is not True


def _torch_comes(path: Path, seen: set[Path]) -> bool | None:
    """True where torch is imported after nothing but what is harmless; None where it is not, and all is harmless."""
    if path in seen:
        return None
    seen.add(path)
    try:
        tree = read(path.read_bytes()).tree
    except OSError:
        tree = None
    if tree is None:
        return False
    for statement in tree.body:
        comes = _of_statement(statement, path.parent, seen)
        if comes is not None:
            return comes
    return None


def _of_statement(statement: ast.stmt, folder: Path, seen: set[Path]) -> bool | None:
    inner = list(ast.walk(statement))
    if any(_names(node) & TELLING for node in inner):
        return False
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return False if any(isinstance(node, ast.Import | ast.ImportFrom) for node in inner) else None
    for comes in (_of_module(name, folder, seen) for name in _imported(statement)):
        if comes is not None:
            return comes
    return None


def _names(node: ast.AST) -> set[str]:
    """`os.path.join` is no change of `sys.path`."""
    match node:
        case ast.Name(id=name):
            return {name} - {"path"}
        case ast.Attribute(value=ast.Name(id="os"), attr="path"):
            return set()
        case ast.Attribute(attr=name):
            return {name}
        case ast.ImportFrom(module=module, names=names) if module in ("os", "sys", "importlib", "ctypes", "runpy"):
            return {alias.name for alias in names} - ({"path"} if module == "os" else set())
        case _:
            return set()


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterable[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return ["." if statement.level else statement.module or "."]


def _of_module(name: str, folder: Path, seen: set[Path]) -> bool | None:
    top = name.partition(".")[0]
    if top in TORCHS_OWN:
        return True
    if top in NEVER_LOCAL:
        return None
    beside = folder / f"{top}.py"
    return _torch_comes(beside, seen) if name == top and beside.is_file() else False
