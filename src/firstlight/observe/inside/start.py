"""Runs a script as `python` would, with its side effects contained from the first line on.

`python -m _firstlight_entry firstlight.observe.inside.start train.py ARGS`, or `… start -m package.module ARGS`. The
script gets a real `__main__`, its own `sys.argv` and `sys.path[0]`; only the standard library is imported before it.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import random
import runpy
import sys
import types
from pathlib import Path

from _firstlight_entry import activate
from firstlight.observe import spec as session
from firstlight.observe.inside import containment, imports, launch, sites


def main() -> None:
    arguments = sys.argv[1:]
    spec = session.current()
    under = launch.begin(spec)
    if spec is not None:
        if spec.contain and (spec.observed or not under.view):
            containment.install(Path(spec.scratch))
        elif spec.contain:
            containment.stay_offline(Path(spec.scratch))
        if spec.seed is not None:
            _seed(spec.seed)
        for prelude in spec.preludes:
            module, _, function = prelude.partition(":")
            getattr(importlib.import_module(module), function)(spec)
    imports.when_imported("torch", lambda _module: activate())  # torch before 2.5 calls no entry points
    if arguments[0] == "-m":
        _run_module(arguments[1], arguments[1:])
    else:
        _run_file(arguments[0], arguments)


def _run_file(path: str, argv: list[str]) -> None:
    sys.argv = argv
    sys.path[0] = str(Path(path).resolve().parent)
    if Path(path).is_dir():
        runpy.run_path(path, run_name="__main__")
        return
    main_module = types.ModuleType("__main__")
    main_module.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __cached__=None)
    main_module.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main_module
    code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
    exec(code, main_module.__dict__)


def _run_module(name: str, argv: list[str]) -> None:
    sys.argv = argv
    sys.path[0] = os.getcwd()
    found = importlib.util.find_spec(name)
    if found is not None and found.origin:
        sites.claim(Path(found.origin).parent)
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _seed(seed: int) -> None:
    """In place of the arbitrary state each generator begins with; a script that seeds itself never notices."""
    random.seed(seed)
    imports.when_imported("numpy", lambda numpy: numpy.random.seed(seed))
    imports.when_imported("torch", lambda torch: torch.manual_seed(seed))
