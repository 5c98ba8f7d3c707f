"""Weights & Biases: curves from the `.wandb` file that every run keeps, online or offline; runs of ours as its runs.

wandb ships the messages of that file but no reader of it in Python. Its frame is LevelDB's log: blocks of 32 KiB, each
record split into pieces with a checksum, a length and a kind. A piece that does not fit its frame ends the reading, as
after a kill.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from firstlight.errors import UsageError
from firstlight.integrations.collecting import Collector, sized
from firstlight.integrations.extras import needed
from firstlight.integrations.recorded import Recorded
from firstlight.records.curves import Logged
from firstlight.records.report import Verdict
from firstlight.store.run_directory import shown

BLOCK = 32 * 1024
FILE_HEADER = 7
PIECE_HEADER = 7
"""Four bytes of checksum, two of length, one of kind."""
WHOLE, FIRST, LAST = 1, 2, 4
LONGEST_RECORD = 64 * 1024**2
OWN = "_"
"""wandb's own columns: `_step`, `_timestamp`, `_runtime`."""


def read(name: str) -> Logged:
    messages = needed("wandb.proto.wandb_internal_pb2", "wandb")
    needed("google.protobuf.message", "wandb")
    path = sized(_file(Path(name)))
    collector = Collector(f"wandb:{name}")
    for number, data in enumerate(_records(path)):
        record = messages.Record()
        try:
            record.ParseFromString(data)
        except Exception as error:  # noqa: BLE001  # protobuf's implementations differ in what they raise
            collector.limited(f"record {number} of {path.name} cannot be read ({error}); the rest was left out")
            break
        if record.WhichOneof("record_type") == "history":
            _collect(collector, record.history)
    return collector.done()


def _file(path: Path) -> Path:
    """The file, that of a run's folder, or that of the newest run below `wandb/`."""
    if path.is_file():
        return path
    found = sorted(path.glob("*.wandb")) or sorted(path.glob("*run-*/*.wandb"), key=lambda file: file.stat().st_mtime)
    if not found:
        raise UsageError(f"{path} holds no run of W&B: no `*.wandb` file in it or in a `run-*` folder below it")
    return found[-1]


def _collect(collector: Collector, history: Any) -> None:
    values = {item.key or "/".join(item.nested_key): item.value_json for item in history.item}
    step = _number(values.get("_step", "")) if "_step" in values else float(history.step.num)
    for name, text in values.items():
        if not name.startswith(OWN) and step is not None and (value := _number(text)) is not None:
            collector.add(name, int(step), value)


def _number(text: str) -> float | None:
    """wandb writes NaN and infinities as bare words or as strings."""
    try:
        return float(text.strip('"'))
    except ValueError:
        return None


def _records(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        if not file.read(FILE_HEADER).startswith(b":W&B"):
            raise UsageError(f"{path} is no file of W&B: it does not begin as one")
        parts = bytearray()
        for kind, piece in _pieces(file):
            if kind in (WHOLE, FIRST):
                parts.clear()
            parts += piece
            if len(parts) > LONGEST_RECORD:
                return
            if kind in (WHOLE, LAST):
                yield bytes(parts)


def _pieces(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    while True:
        left = BLOCK - file.tell() % BLOCK
        if left < PIECE_HEADER:
            file.seek(left, 1)
            continue
        header = file.read(PIECE_HEADER)
        if len(header) < PIECE_HEADER:
            return
        length, kind = int.from_bytes(header[4:6], "little"), header[6]
        piece = file.read(length)
        if not WHOLE <= kind <= LAST or len(piece) < length or length > left - PIECE_HEADER:
            return
        yield kind, piece


COLUMNS = ("severity", "id", "name", "cause", "file", "line", "saw", "wanted", "do")


def export(recorded: Recorded, place: str) -> str:
    """Offline unless `WANDB_MODE` says otherwise: `wandb sync` sends it when its owner wants that."""
    library: Any = needed("wandb", "wandb")
    run = library.init(
        project=place or os.environ.get("WANDB_PROJECT", "firstlight"),
        name=recorded.run.id,
        job_type="firstlight",
        mode=os.environ.get("WANDB_MODE", "offline"),
        config={"command": " ".join(recorded.report.subject.command), **recorded.report.environment},
        settings=library.Settings(console="off", silent=True),
    )
    run.define_metric("train/global_step")
    run.define_metric("*", step_metric="train/global_step")
    for step, values in recorded.rows():
        run.log({**values, "train/global_step": step}, step=step)
    run.log({"firstlight/findings": library.Table(columns=list(COLUMNS), data=_rows(recorded))})
    run.summary.update(recorded.summary)
    if recorded.report.verdict is Verdict.ILL:
        run.alert(title=f"firstlight: {recorded.run.id} is ill", text=recorded.findings_markdown(), level="ERROR")
    artifact = library.Artifact(f"firstlight-{recorded.run.id}", type="report", metadata=recorded.summary)
    for file in recorded.files:
        artifact.add_file(str(file), name=file.name)
    run.log_artifact(artifact)
    folder = run.dir
    run.finish()
    return f"`wandb sync {shown(Path(folder).parent)}`"


def _rows(recorded: Recorded) -> list[list[Any]]:
    return [
        [f.severity.value, f.id, f.name, f.cause, f.where.file, f.where.line, f.saw, f.wanted, f.do]
        for f in recorded.report.findings
    ]
