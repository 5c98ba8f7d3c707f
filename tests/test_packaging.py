"""What a user installs, and the import contracts that keep it harmless."""

import configparser
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
ALLOWED_INSIDE = frozenset({"_firstlight_entry", "firstlight", "msgspec", "torch"}) | sys.stdlib_module_names


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Built from a clone of what is on disk, so that building leaves nothing in the working tree."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, source / name)
    copy_sources(source)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target], cwd=source, check=True, timeout=120
    )
    (built,) = target.glob("*.whl")
    return zipfile.ZipFile(built)


def copy_sources(target: Path) -> None:
    shutil.copytree(SRC, target / "src", ignore=shutil.ignore_patterns("__pycache__"))


def dist_info(wheel: zipfile.ZipFile, name: str) -> str:
    (found,) = [path for path in wheel.namelist() if path.endswith(f".dist-info/{name}")]
    return wheel.read(found).decode()


def metadata(wheel: zipfile.ZipFile) -> Message:
    return Parser().parsestr(dist_info(wheel, "METADATA"))


def test_wheel_holds_every_source_file(wheel: zipfile.ZipFile) -> None:
    on_disk = {path.relative_to(SRC).as_posix() for path in SRC.rglob("*") if path.is_file()}
    wanted = {path for path in on_disk if "__pycache__" not in path}
    assert wanted - set(wheel.namelist()) == set()


def test_wheel_is_typed(wheel: zipfile.ZipFile) -> None:
    assert "firstlight/py.typed" in wheel.namelist()


def test_wheel_holds_nothing_but_the_package(wheel: zipfile.ZipFile) -> None:
    tops = {path.split("/")[0] for path in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"firstlight", "_firstlight_entry.py"}


def test_every_source_folder_is_a_regular_package() -> None:
    folders = {path.parent for path in (SRC / "firstlight").rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_entry_points(wheel: zipfile.ZipFile) -> None:
    groups = configparser.ConfigParser()
    groups.read_string(dist_info(wheel, "entry_points.txt"))
    assert groups["console_scripts"]["firstlight"] == "firstlight.cli.main:main"
    assert groups["torch.backends"]["firstlight"] == "_firstlight_entry:activate"


def test_licence_and_python(wheel: zipfile.ZipFile) -> None:
    headers = metadata(wheel)
    assert headers["License-Expression"] == "Apache-2.0"
    assert headers["Requires-Python"] == ">=3.11"
    assert "Apache License" in dist_info(wheel, "licenses/LICENSE")


def test_core_requirements_are_few_and_exclude_torch(wheel: zipfile.ZipFile) -> None:
    requirements = metadata(wheel).get_all("Requires-Dist", [])
    core = {line.split(">=")[0] for line in requirements if "extra ==" not in line}
    assert core == {"click", "msgspec", "psutil", "rich"}
    assert [line for line in requirements if line.split(">=")[0].split("=")[0].strip() == "torch"] == []


def test_torch_is_never_needed_to_build() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    assert [line for line in build["requires"] if line.startswith("torch")] == []


def test_constraints_pin_torch_and_every_direct_requirement() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert pins["torch"] == "2.13.0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {line.split(">=")[0] for line in declared if not line.startswith("firstlight[")}
    assert names - {name.lower() for name in pins} == set()


@pytest.fixture
def lint_doctored(tmp_path: Path) -> Callable[[str, str], subprocess.CompletedProcess[str]]:
    """Runs the import contracts on a copy of the sources in which one file was appended to."""
    copy_sources(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def lint(file: str, text: str) -> subprocess.CompletedProcess[str]:
        doctored = tmp_path / "src" / "firstlight" / file
        doctored.parent.mkdir(parents=True, exist_ok=True)
        with doctored.open("a") as out:
            out.write(text)
        script = (
            "import sys; sys.path.insert(0, 'src'); from importlinter.cli import lint_imports; sys.exit(lint_imports())"
        )
        command = [sys.executable, "-c", script]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    return lint


def test_import_contracts_hold(lint_doctored: Callable[[str, str], subprocess.CompletedProcess[str]]) -> None:
    result = lint_doctored("errors.py", "")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("records/__init__.py", "import firstlight.report", "Imports point one way"),
        ("utils/__init__.py", "", "Imports point one way"),
        ("checks/__init__.py", "import torch", "free of torch"),
        ("cli/__init__.py", "def late():\n    import torch", "free of torch"),
        ("observe/inside/__init__.py", "import rich", "brings nothing with it"),
    ],
)
def test_import_contracts_can_fail(
    lint_doctored: Callable[[str, str], subprocess.CompletedProcess[str]], file: str, line: str, broken: str
) -> None:
    result = lint_doctored(file, f"\n{line}\n")
    assert result.returncode == 1, result.stdout + result.stderr
    assert [text for text in result.stdout.splitlines() if broken in text and "BROKEN" in text]


def foreign_roots(source: Path, package: str) -> set[str]:
    """Top-level names that code reachable from `package` imports beyond those it may.

    A `forbidden` contract can only name what is known to be unwanted; this is the other half.
    """
    script = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "import grimp\n"
        "graph = grimp.build_graph('firstlight', include_external_packages=True, cache_dir=None)\n"
        f"print(*sorted(graph.find_upstream_modules({package!r}, as_package=True)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    return {name.split(".")[0] for name in found.stdout.split()} - ALLOWED_INSIDE


def test_code_inside_the_users_process_needs_only_torch_and_msgspec() -> None:
    assert foreign_roots(SRC, "firstlight.observe.inside") == set()


def test_foreign_imports_inside_are_noticed(tmp_path: Path) -> None:
    copy_sources(tmp_path)
    with (tmp_path / "src/firstlight/observe/inside/__init__.py").open("a") as out:
        out.write("\nimport numpy\n")
    assert foreign_roots(tmp_path / "src", "firstlight.observe.inside") == {"numpy"}


def test_importing_the_package_brings_nothing_along() -> None:
    script = "import sys; before = set(sys.modules); import firstlight; print(*sorted(set(sys.modules) - before))"
    environment = {"PYTHONPATH": str(SRC)}
    command = [sys.executable, "-S", "-c", script]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.split() == ["firstlight"]
