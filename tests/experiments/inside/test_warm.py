"""What a warm parent must not give to a script."""

from pathlib import Path

import pytest

from firstlight.experiments.inside.warm import stood_in_for


@pytest.mark.parametrize(
    ("file", "stands_in"), [("json.py", True), ("json/__init__.py", True), ("json/notes.py", False), ("net.py", False)]
)
def test_a_module_beside_the_script_that_has_the_name_of_one_imported_here(
    tmp_path: Path, file: str, stands_in: bool
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).touch()
    assert stood_in_for(tmp_path) is stands_in
    assert stood_in_for(tmp_path / "elsewhere", tmp_path) is stands_in
