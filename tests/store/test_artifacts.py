"""Artifacts appear whole or not at all, stay within their room, and are read as coming from a stranger."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from firstlight.errors import ArtifactError, UnreadableError
from firstlight.guard.capture.capture import draft
from firstlight.records.artifact import ARTIFACT_SCHEMA, Manifest, Program
from firstlight.store import artifacts
from firstlight.store.artifacts import Draft

EMPTY = Manifest(
    schema=ARTIFACT_SCHEMA,
    run_id="r",
    step=3,
    check="FL670 turns-nonfinite",
    summary="",
    created="",
    program=Program(argv=()),
    config={"lr": [float("nan")]},
)


def drafts(**sizes: int) -> list[Draft]:
    return [draft(name, "before", {"w": torch.zeros(size, dtype=torch.uint8)}) for name, size in sizes.items()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return artifacts.write(tmp_path / "artifacts" / "3-turns-nonfinite", EMPTY, drafts(model=100, optimizer=50))


def test_a_written_artifact_is_read(folder: Path) -> None:
    found = artifacts.read(folder)
    part = found.part("model", "before")
    assert part is not None
    assert found.tensors(part)["w"].shape == (100,)
    assert found.manifest.config == {"lr": ["NaN"]}
    assert [path.name for path in folder.parent.iterdir()] == ["3-turns-nonfinite"]


def test_what_does_not_fit_is_left_out_and_named(tmp_path: Path) -> None:
    room = 3 * artifacts.HEADER_ALLOWANCE
    folder = artifacts.write(tmp_path / "a", EMPTY, drafts(batch=10, model=room, rng=20), room)
    manifest = artifacts.read(folder).manifest
    assert [part.name for part in manifest.parts] == ["batch", "rng"]
    assert [left.part for left in manifest.left_out] == ["before/model"]


def test_a_second_one_of_the_same_name_does_not_touch_the_first(folder: Path) -> None:
    before = (folder / artifacts.MANIFEST).read_bytes()
    second = artifacts.write(folder, EMPTY, drafts(model=1))
    assert second.name == "3-turns-nonfinite-2"
    assert (folder / artifacts.MANIFEST).read_bytes() == before


def edited(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads((folder / artifacts.MANIFEST).read_text())
    change(manifest)
    (folder / artifacts.MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["../outside.safetensors", "/etc/passwd", "a/b.safetensors", "..", "", "x.pkl"])
def test_a_file_name_that_is_a_path_is_refused(folder: Path, name: str) -> None:
    shutil.copy(folder / "before-model.safetensors", folder.parent / "outside.safetensors")
    edited(folder, lambda manifest: manifest["parts"][0].update(file=name))
    with pytest.raises(ArtifactError, match="no name of a file"):
        artifacts.read(folder)


def test_a_link_is_not_followed(folder: Path) -> None:
    target = folder / "before-model.safetensors"
    target.rename(folder.parent / "elsewhere.safetensors")
    target.symlink_to(folder.parent / "elsewhere.safetensors")
    with pytest.raises(UnreadableError, match="is a link"):
        artifacts.read(folder)


def test_a_truncated_part_is_refused(folder: Path) -> None:
    os.truncate(folder / "before-model.safetensors", 40)
    with pytest.raises(ArtifactError, match="has 40 bytes"):
        artifacts.read(folder)


def test_a_changed_part_is_refused(folder: Path) -> None:
    path = folder / "before-model.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\7")
    found = artifacts.read(folder)
    with pytest.raises(ArtifactError, match="was changed"):
        found.tensors(found.manifest.parts[0])


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "other"}', "{" * 100_000, '{"schema": 3'])
def test_a_manifest_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / artifacts.MANIFEST).write_text(text)
    with pytest.raises(ArtifactError, match="not the manifest"):
        artifacts.read(folder)


def test_a_tree_nested_without_end_is_refused(folder: Path) -> None:
    node = '{"node":"list","kind":"list","items":['
    text = (folder / artifacts.MANIFEST).read_text()
    start = text.index('"tree":') + len('"tree":')
    (folder / artifacts.MANIFEST).write_text(text[:start] + node * 50_000)
    with pytest.raises(ArtifactError):
        artifacts.read(folder)


def test_a_refusal_of_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: both fail in the middle of a write."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    code = """
import sys, pathlib
sys.path[:0] = [sys.argv[2]]
from test_artifacts import EMPTY, drafts
from firstlight.errors import ArtifactError, UnreadableError
from firstlight.store import artifacts
try:
    artifacts.write(pathlib.Path(sys.argv[1]) / "a", EMPTY, drafts(model=1 << 20))
except ArtifactError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "artifacts"), str(Path(__file__).parent)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot write the artifact" in done.stdout
    assert list((tmp_path / "artifacts").iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_an_unwritable_folder_is_an_artifact_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ArtifactError, match="cannot write"):
        artifacts.write(tmp_path / "x" / "a", EMPTY, [])


def test_a_file_in_the_way_is_an_artifact_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(ArtifactError, match="cannot write"):
        artifacts.write(tmp_path / "x" / "a", EMPTY, [])
