"""Tensor files: what is written is read, by us and by the format's own library, and nothing else is accepted."""

import json
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from firstlight.errors import ArtifactError
from firstlight.guard.capture.trees import incoming, outgoing
from firstlight.store import tensors

SOME = {
    "weight": torch.randn(3, 4),
    "half": torch.randn(5).half(),
    "brain": torch.randn(2, 2).bfloat16(),
    "ids": torch.arange(7),
    "mask": torch.tensor([True, False, True]),
    "scalar": torch.tensor(2.5, dtype=torch.float64),
    "nothing": torch.empty(0, 3),
    "turned": torch.randn(4, 3).t(),
    "wave": torch.randn(3, dtype=torch.complex64),
    "unsigned": torch.tensor([1, 2**32 - 1], dtype=torch.uint32),
}


def written(path: Path, values: dict[str, torch.Tensor]) -> Path:
    with path.open("wb") as file:
        tensors.write(file, outgoing(values))
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = incoming(tensors.read(written(tmp_path / "some.safetensors", SOME)))
    assert found.keys() == SOME.keys()
    for name, value in SOME.items():
        assert found[name].dtype == value.dtype
        assert torch.equal(found[name], value), name


def test_the_formats_own_library_reads_it(tmp_path: Path) -> None:
    known = {name: value for name, value in SOME.items() if name not in ("wave", "unsigned")}
    found = load_file(written(tmp_path / "some.safetensors", known))
    assert all(torch.equal(found[name], value) for name, value in known.items())


def test_what_the_library_writes_is_read(tmp_path: Path) -> None:
    known = {n: v.contiguous() for n, v in SOME.items() if n not in ("wave", "unsigned")}
    save_file(known, tmp_path / "theirs.safetensors", metadata={"format": "pt"})
    found = incoming(tensors.read(tmp_path / "theirs.safetensors"))
    assert all(torch.equal(found[name], value) for name, value in known.items())


def file_of(tmp_path: Path, header: object, body: bytes = b"\0" * 16) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "hostile.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def entry(dtype: object = "F32", shape: object = (4,), offsets: object = (0, 16)) -> dict[str, object]:
    return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


@pytest.mark.parametrize(
    ("header", "words"),
    [
        pytest.param(entry(offsets=(0, 32), shape=(8,)), "truncated", id="beyond-the-end"),
        pytest.param(entry(shape=(1 << 40, 1 << 40)), "does not fit", id="huge-shape"),
        pytest.param(entry(shape=(-4,)), "no shape", id="negative-shape"),
        pytest.param(entry(shape=[4.0]), "no shape", id="fraction"),
        pytest.param(entry(shape=[True] * 4), "no shape", id="flags"),
        pytest.param(entry(shape=[1] * 40, offsets=(0, 4)), "no shape", id="many-dimensions"),
        pytest.param(entry(offsets=(16, 0)), "does not fit", id="backwards"),
        pytest.param(entry(offsets=(-16, 0)), "no shape", id="before-the-beginning"),
        pytest.param(entry(dtype="PICKLE"), "no type", id="unknown-type"),
        pytest.param(entry(dtype=["F32"]), "no type", id="a-list-for-a-type"),
        pytest.param({"a": 3}, "no type", id="not-an-entry"),
        pytest.param([1, 2], "not a JSON object", id="a-list"),
        pytest.param(b"{" * 5000, "not JSON", id="not-json"),
        pytest.param({**entry(), "b": entry()["a"]}, "overlap", id="overlapping"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, header: object, words: str) -> None:
    with pytest.raises(ArtifactError, match=words):
        tensors.read(file_of(tmp_path, header))


def test_a_header_longer_than_the_file_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.safetensors"
    path.write_bytes((1 << 62).to_bytes(8, "little") + b"{}")
    with pytest.raises(ArtifactError, match="truncated"):
        tensors.read(path)


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_read_or_refused_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    path = written(tmp_path / "some.safetensors", {"a": torch.arange(6.0), "b": torch.arange(3)})
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    try:
        found = incoming(tensors.read(path))
    except ArtifactError:
        return
    assert all(value.numel() <= len(whole) for value in found.values())
