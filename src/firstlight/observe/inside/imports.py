"""Do something right after a module was imported, without importing it.

A finder at the front of `sys.meta_path` asks the other finders for the module and, for a watched name only, lets
the loader's own `exec_module` call the watchers when it is done. The loader stays the loader Python made, so
`inspect`, `pkgutil`, `importlib.metadata`, `importlib.resources`, `importlib.reload` and `find_spec` see nothing new.
Built-in and frozen modules have no loader object of their own and cannot be watched before they are imported.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

Watcher = Callable[[ModuleType], None]


class _Watch:
    """The finder: names to the callables that wait for them."""

    def __init__(self) -> None:
        self._watchers: dict[str, list[Watcher]] = {}
        self._asking: set[tuple[int, str]] = set()

    def add(self, name: str, watcher: Watcher) -> None:
        self._watchers.setdefault(name, []).append(watcher)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # Another finder may itself ask the whole of `sys.meta_path`; the inner question is then not ours.
        question = (threading.get_ident(), name)
        if name not in self._watchers or question in self._asking:
            return None
        self._asking.add(question)
        try:
            spec = _ask_others(self, name, path, target)
        finally:
            self._asking.discard(question)
        if spec is not None:
            self._listen(spec, name)
        return spec

    def _listen(self, spec: ModuleSpec, name: str) -> None:
        loader = spec.loader
        if loader is None or isinstance(loader, type) or not hasattr(loader, "exec_module"):
            return
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            loader.__dict__.pop("exec_module", None)
            execute(module)
            for watcher in tuple(self._watchers[name]):
                _call(watcher, module)

        try:
            setattr(loader, "exec_module", exec_module)  # noqa: B010 (a method of a typed object is not assignable)
        except (AttributeError, TypeError):
            return  # a loader with slots: the module is imported unwatched rather than not at all


def when_imported(name: str, callback: Watcher) -> None:
    """Call `callback(module)` each time `name` has been executed; at once as well if it is imported already.

    An error in the callback is told on stderr and never reaches the import.
    """
    if _WATCH not in sys.meta_path:
        sys.meta_path.insert(0, _WATCH)
    _WATCH.add(name, callback)
    module = sys.modules.get(name)
    if module is not None:
        _call(callback, module)


def _ask_others(asker: object, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    for finder in tuple(sys.meta_path):
        find_spec = getattr(finder, "find_spec", None)
        if finder is asker or find_spec is None:
            continue
        spec: ModuleSpec | None = find_spec(name, path, target)
        if spec is not None:
            return spec
    return None


def _call(watcher: Watcher, module: ModuleType) -> None:
    try:
        watcher(module)
    except Exception as problem:
        sys.stderr.write(f"firstlight: the hook for `{module.__name__}` failed: {problem!r}\n")


_WATCH = _Watch()
