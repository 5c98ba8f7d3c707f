"""Before the script's first line: from here on the user's files are compiled with their loops counted."""

import ast
import builtins
import functools
import importlib.machinery
import os
from pathlib import Path
from typing import Any

import msgspec

from firstlight.experiments.inside.shortening import arithmetic, comparisons, rewriting
from firstlight.experiments.inside.shortening.arithmetic import Arithmetic
from firstlight.experiments.inside.shortening.comparisons import Comparisons
from firstlight.experiments.inside.shortening.rounds import Book, Plan
from firstlight.experiments.plan import ORDER, Order
from firstlight.observe import spec as session
from firstlight.observe.inside import imports, sites

_books: list[Book] = []
computed = Arithmetic()
compared = Comparisons()
"""By which weights are kept, in this process; none where its files were compiled as they are."""


def book() -> Book | None:
    """What is known of the loops of this process; None where its files were compiled as they are."""
    return _books[0] if _books else None


def begin(spec: session.Spec) -> None:
    order = msgspec.json.decode((Path(spec.run) / ORDER).read_bytes(), type=Order)
    found = Book(plan_of(order))
    _books[:] = [found]
    setattr(builtins, rewriting.ROUNDS, found.over)
    setattr(builtins, rewriting.WHILE, found.begin)
    setattr(builtins, rewriting.DUE, found.due)
    setattr(builtins, comparisons.BETTER, compared.better)
    for name, function in computed.builtins().items():
        setattr(builtins, name, function)
    _compile_counted(found)
    os.register_at_fork(after_in_child=found.begin_anew)
    for module in ("multiprocessing.spawn", "joblib.externals.loky.backend.spawn"):
        imports.when_imported(module, _follow_spawned)


def plan_of(order: Order) -> Plan:
    words = dict(word.split("=") for word in order.interventions)
    spare = float(words.get("spare", 0.0))
    return Plan(inner=int(words["inner"]), outer=int(words["outer"]), last=words["last"], spare=spare)


def begin_again() -> None:
    """In a spawned process, before anything of the user's runs there."""
    spec = session.current()
    if spec is not None:
        begin(spec)


class _Begins:
    """Begins where it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return begin_again, ()


def _follow_spawned(spawn: Any) -> None:
    original = spawn.get_preparation_data

    @functools.wraps(original)
    def prepared(*arguments: Any, **options: Any) -> dict[str, Any]:
        return {"firstlight_prelude": _Begins(), **original(*arguments, **options)}

    spawn.get_preparation_data = prepared


def _compile_counted(found: Book) -> None:
    """Scripts, `python -m` and spawned processes come through `compile`; so do imports that have no byte code yet."""
    original = builtins.compile
    load = importlib.machinery.SourceFileLoader.get_code

    @functools.wraps(original)
    def counted(source: Any, filename: Any, mode: str, flags: int = 0, *rest: Any, **options: Any) -> Any:
        name = os.fsdecode(filename) if isinstance(filename, str | bytes | os.PathLike) else ""
        as_is = mode != "exec" or flags & ast.PyCF_ONLY_AST or not isinstance(source, str | bytes)
        if as_is or not sites.is_users(name):
            return original(source, filename, mode, flags, *rest, **options)
        tree = original(source, filename, mode, flags | ast.PyCF_ONLY_AST, *rest, **options)
        tree = arithmetic.heard(comparisons.watched(tree, compared.register(name)))
        tree = rewriting.rewritten(tree, found.register(name))
        return original(tree, filename, mode, flags, *rest, **options)

    def get_code(self: Any, fullname: str) -> Any:
        path = self.get_filename(fullname)
        if not sites.is_users(path):
            return load(self, fullname)
        return counted(self.get_data(path), path, "exec", dont_inherit=True)

    builtins.compile = counted
    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
