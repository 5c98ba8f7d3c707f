"""`artifacts/<step>-<flag>/`: a manifest and the tensor files it names. Appears whole or not at all.

What is read may come from anyone. File names in a manifest are names, never paths; sizes and digests must match; no
link is followed. Whether an artifact is one's own is told by its seal.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

import msgspec

from firstlight.errors import ArtifactError, UnreadableError
from firstlight.records import wire
from firstlight.records.artifact import LeftOut, Manifest, Node, Part
from firstlight.store import plain_files, seals, tensors
from firstlight.store.room import room
from firstlight.store.tensors import Outgoing, Stored

MANIFEST = "manifest.json"
MOST_MANIFEST_BYTES = 64 << 20
MOST_BYTES = 4 << 30
"""Of one artifact, unless the user says otherwise."""
HEADER_ALLOWANCE = 1 << 16
FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\.safetensors")
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Draft:
    """A part about to be written."""

    name: str
    moment: Literal["before", "trip"]
    tree: Node
    tensors: Mapping[str, Outgoing] = field(default_factory=dict)
    title: str = ""

    @property
    def size(self) -> int:
        return sum(tensor.size for tensor in self.tensors.values())


def write(folder: Path, manifest: Manifest, drafts: Sequence[Draft], most_bytes: int = MOST_BYTES) -> Path:
    """Parts in the order given until the room is used; what did not fit is named in the manifest. Returns the folder.

    Raises ArtifactError, with nothing left behind, where the disk refuses.
    """
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        parts, left_out = _write_parts(partial, drafts, min(most_bytes, room(partial)))
        whole = msgspec.structs.replace(manifest, parts=parts, left_out=(*manifest.left_out, *left_out))
        _write_manifest(partial, wire.encode(whole))
        return _put_in_place(partial, folder)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise ArtifactError(f"cannot write the artifact {folder}: {error.strerror or error}") from None
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _write_parts(folder: Path, drafts: Sequence[Draft], most: int) -> tuple[tuple[Part, ...], tuple[LeftOut, ...]]:
    parts: list[Part] = []
    left_out: list[LeftOut] = []
    for draft in drafts:
        needed = draft.size + HEADER_ALLOWANCE if draft.tensors else 0
        if needed > most:
            reason = f"{draft.size} bytes, and {most} were left of what an artifact may take"
            left_out.append(LeftOut(part=f"{draft.moment}/{draft.name}", reason=reason))
            continue
        part = _write_part(folder, draft)
        most -= part.bytes
        parts.append(part)
    return tuple(parts), tuple(left_out)


def _write_part(folder: Path, draft: Draft) -> Part:
    part = Part(name=draft.name, moment=draft.moment, tree=draft.tree, title=draft.title)
    if not draft.tensors:
        return part
    name = f"{draft.moment}-{draft.name}.safetensors"
    with (folder / name).open("wb") as file:
        tensors.write(file, draft.tensors)
        _settle(file)
    size = (folder / name).stat().st_size
    return msgspec.structs.replace(part, file=name, bytes=size, digest=digest_of(folder / name))


def _write_manifest(folder: Path, manifest: bytes) -> None:
    with (folder / MANIFEST).open("wb") as file:
        file.write(manifest)
        _settle(file)
    if (seal := seals.seal(folder.parent, manifest)) is not None:
        plain_files.create(folder / seals.FILE, seal)


def _settle(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _put_in_place(partial: Path, folder: Path) -> Path:
    """Under the first free name: the same flag may trip at the same step of a resumed run."""
    for attempt in range(1, 100):
        target = folder if attempt == 1 else folder.with_name(f"{folder.name}-{attempt}")
        if not target.exists():
            partial.rename(target)
            return target
    raise ArtifactError(f"{folder} and 99 others of that name exist already")


@dataclass(frozen=True, slots=True)
class Artifact:
    folder: Path
    manifest: Manifest
    sealed: bool = False
    """It was written by this user, on this machine, into this place, and is as it was."""

    def part(self, name: str, moment: str) -> Part | None:
        return next((part for part in self.manifest.parts if (part.name, part.moment) == (name, moment)), None)

    def tensors(self, part: Part) -> dict[str, Stored]:
        """Raises ArtifactError where the file is not the one that was written."""
        if part.file is None:
            return {}
        path = self.folder / part.file
        if digest_of(path) != part.digest:
            raise ArtifactError(f"{path} was changed since it was written: its digest does not match the manifest")
        return tensors.read(path)


def read(path: Path) -> Artifact:
    """An artifact by its folder or its manifest.

    Raises ArtifactError, with the reason, where it is not sound, and UnreadableError where a file of it is none.
    """
    folder = path.parent if path.name == MANIFEST else path
    file = folder / MANIFEST
    if folder.is_symlink():
        raise ArtifactError(f"{folder} is a link. Name the folder it leads to: {folder.resolve()}")
    if not os.path.lexists(file):
        raise ArtifactError(f"{path} is no artifact: it holds no {MANIFEST}")
    data = plain_files.contents(file, MOST_MANIFEST_BYTES)
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise ArtifactError(f"{file} is not the manifest of an artifact: {error}") from None
    for part in manifest.parts:
        _check_file(folder, part)
    return Artifact(folder, manifest, _is_sealed(folder, data))


def _is_sealed(folder: Path, manifest: bytes) -> bool:
    try:
        seal = plain_files.contents(folder / seals.FILE, seals.DIGEST_BYTES)
    except UnreadableError:
        return False
    return seals.holds(folder.parent, manifest, seal)


def _check_file(folder: Path, part: Part) -> None:
    if part.file is None:
        return
    if not FILE_NAME.fullmatch(part.file):
        raise ArtifactError(f"part {part.name!r} names {part.file[:80]!r}, which is no name of a file beside it")
    found = _size(folder / part.file)
    if found != part.bytes:
        raise ArtifactError(f"{folder / part.file} has {found} bytes where the manifest says {part.bytes}")


def _size(path: Path) -> int:
    with plain_files.opened(path) as file:
        return os.fstat(file.fileno()).st_size


def digest_of(path: Path, *, follow: bool = False) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with plain_files.opened(path, follow=follow) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
