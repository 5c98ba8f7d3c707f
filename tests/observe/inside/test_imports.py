"""Each test puts a finder of its own into `sys.meta_path` and takes it out again."""

import importlib
import importlib.metadata
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from firstlight.observe.inside import imports
from firstlight.observe.inside.imports import when_imported


@pytest.fixture(autouse=True)
def _unwatched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test gets a finder of its own and leaves none behind."""
    finder = imports._Watch()
    monkeypatch.setattr(imports, "_WATCH", finder)
    yield
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "watched_pkg"
    folder.mkdir()
    (folder / "__init__.py").write_text("VALUE = 1\n\ndef answer():\n    return VALUE\n")
    (folder / "inner.py").write_text("from watched_pkg import VALUE\n")
    (folder / "data.txt").write_text("data")
    monkeypatch.syspath_prepend(tmp_path)
    yield "watched_pkg"
    for name in ("watched_pkg", "watched_pkg.inner"):
        sys.modules.pop(name, None)


def test_the_callback_comes_after_the_module_and_before_those_that_import_from_it(package: str) -> None:
    when_imported(package, lambda module: setattr(module, "VALUE", 2))
    assert importlib.import_module(f"{package}.inner").VALUE == 2


def test_a_module_imported_before_is_given_at_once(package: str) -> None:
    module = importlib.import_module(package)
    seen: list[ModuleType] = []
    when_imported(package, seen.append)
    assert seen == [module]


def test_several_callbacks_are_called_in_order(package: str) -> None:
    order: list[int] = []
    when_imported(package, lambda _module: order.append(1))
    when_imported(package, lambda _module: order.append(2))
    importlib.import_module(package)
    assert order == [1, 2]


def test_a_reload_calls_again(package: str) -> None:
    seen: list[ModuleType] = []
    when_imported(package, seen.append)
    module = importlib.import_module(package)
    importlib.reload(module)
    assert seen == [module, module]


def test_a_failing_callback_is_told_and_does_not_break_the_import(
    package: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_module: ModuleType) -> None:
        raise RuntimeError("broken hook")

    when_imported(package, fail)
    assert importlib.import_module(package).VALUE == 1
    assert "the hook for `watched_pkg` failed: RuntimeError('broken hook')" in capsys.readouterr().err


def test_a_module_that_is_missing_or_broken_fails_as_ever(package: str, tmp_path: Path) -> None:
    (tmp_path / "broken_mod.py").write_text("1 / 0\n")
    seen: list[ModuleType] = []
    for name in ("missing_mod", "broken_mod"):
        when_imported(name, seen.append)
    with pytest.raises(ModuleNotFoundError, match="No module named 'missing_mod'"):
        importlib.import_module("missing_mod")
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("broken_mod")
    assert not seen


def test_python_s_own_tools_still_work_on_a_watched_module(package: str) -> None:
    when_imported(package, lambda _module: None)
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert package not in sys.modules
    module = importlib.import_module(package)
    assert "return VALUE" in inspect.getsource(module.answer)
    assert type(module.__loader__).__name__ == "SourceFileLoader"
    assert "exec_module" not in vars(module.__loader__)
    assert pkgutil.get_data(package, "data.txt") == b"data"
    assert [found.name for found in pkgutil.iter_modules(module.__path__)] == ["inner"]
    assert importlib.metadata.version("pytest")


def test_a_module_made_by_hand_from_its_spec_calls_too(package: str) -> None:
    seen: list[ModuleType] = []
    when_imported(package, seen.append)
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert seen == [module]


def test_another_finder_that_asks_all_finders_does_not_recurse(package: str) -> None:
    class Asker:
        asking = False

        def find_spec(self, name: str, *_rest: object) -> object:
            if self.asking:
                return None
            self.asking = True
            try:
                return importlib.util.find_spec(name)
            finally:
                self.asking = False

    seen: list[ModuleType] = []
    when_imported(package, seen.append)
    asker = Asker()
    sys.meta_path.insert(0, asker)  # type: ignore[arg-type]  # a finder as loose as those in the wild
    try:
        importlib.import_module(package)
    finally:
        sys.meta_path.remove(asker)  # type: ignore[arg-type]  # as above
    assert len(seen) == 1


def test_a_loader_that_takes_no_attributes_imports_unwatched(tmp_path: Path) -> None:
    class Rigid:
        __slots__ = ()

        def create_module(self, _spec: object) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            module.__dict__["VALUE"] = 3

    class Finder:
        def find_spec(self, name: str, *_rest: object) -> object:
            return importlib.util.spec_from_loader(name, Rigid()) if name == "rigid_mod" else None  # type: ignore[arg-type]

    finder = Finder()
    sys.meta_path.append(finder)  # type: ignore[arg-type]  # as above
    when_imported("rigid_mod", lambda _module: None)
    try:
        assert importlib.import_module("rigid_mod").VALUE == 3
    finally:
        sys.meta_path.remove(finder)  # type: ignore[arg-type]  # as above
        sys.modules.pop("rigid_mod", None)
