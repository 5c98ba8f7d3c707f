"""TensorBoard: curves from event files by its own reader, and runs of ours as event files by its own writer."""

import shutil
import time
from pathlib import Path
from typing import Any

from firstlight.errors import UsageError
from firstlight.integrations.collecting import Collector, sized
from firstlight.integrations.extras import needed
from firstlight.integrations.recorded import Recorded
from firstlight.records.curves import Logged

EVENT_FILES = "*tfevents*"
MOST_FILES = 1_000
SPLITS = frozenset({"train", "validation", "val", "valid", "eval", "test"})


def read(name: str) -> Logged:
    """The scalars of one run: of the newest, where the folder holds several."""
    loader = needed("tensorboard.backend.event_processing.event_file_loader", "tensorboard")
    collector = Collector(f"tensorboard:{name}")
    runs = _runs(Path(name))
    newest = max(runs, key=lambda run: max(file.stat().st_mtime for file in runs[run]))
    if len(runs) > 1:
        collector.limited(f"{name} holds {len(runs)} runs; the newest was read: {newest}. Name another to read that")
    if len(runs[newest]) > MOST_FILES:
        collector.limited(f"only {MOST_FILES} of {len(runs[newest])} event files were read")
    for file in runs[newest][:MOST_FILES]:
        split = "" if file.parent == newest else f"{file.parent.name}/"
        _collect(collector, loader.EventFileLoader(str(sized(file))), split)
    return collector.done()


def _runs(folder: Path) -> dict[Path, list[Path]]:
    """Event files by run. Keras gives each split a folder of its own, and their curves the same name."""
    files = [folder] if folder.is_file() else sorted(folder.rglob(EVENT_FILES))
    if not files:
        raise UsageError(f"{folder} holds no event files of TensorBoard ({EVENT_FILES})")
    found: dict[Path, list[Path]] = {}
    for file in files:
        home = file.parent.parent if file.parent != folder and file.parent.name in SPLITS else file.parent
        found.setdefault(home, []).append(file)
    return found


def _collect(collector: Collector, events: Any, prefix: str) -> None:
    """The reader ends by itself at a torn or damaged record, as for a run that was killed."""
    for event in events.Load():
        for value in event.summary.value if event.HasField("summary") else ():
            if (number := _scalar(value)) is not None:
                collector.add(prefix + value.tag, event.step, number)


def _scalar(value: Any) -> float | None:
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if not value.HasField("tensor") or any(size.size != 1 for size in value.tensor.tensor_shape.dim):
        return None
    from tensorboard.util.tensor_util import make_ndarray

    array = make_ndarray(value.tensor)
    return float(array.reshape(-1)[0]) if array.size == 1 and array.dtype.kind in "fiu" else None


def export(recorded: Recorded, place: str) -> str:
    """Scalars, the findings as text, and the report beside the event file."""
    if not place:
        raise UsageError("TensorBoard keeps runs in folders: name one, as in `--to tensorboard:runs`")
    writers = needed("tensorboard.summary.writer.event_file_writer", "tensorboard")
    folder = Path(place) / recorded.run.id
    writer = writers.EventFileWriter(str(folder))
    try:
        for step, values in recorded.rows():
            writer.add_event(_event(step, values))
        for name, text in _texts(recorded).items():
            writer.add_event(_text(name, text))
    finally:
        writer.close()
    for file in recorded.files:
        shutil.copy(file, folder / file.name)
    return f"`tensorboard --logdir {place}`"


def _event(step: int, values: dict[str, float]) -> Any:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    scalars = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
    return Event(step=step, wall_time=time.time(), summary=Summary(value=scalars))


def _text(name: str, text: str) -> Any:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.text.summary_v2 import text_pb

    return Event(step=0, wall_time=time.time(), summary=text_pb(name, text))


def _texts(recorded: Recorded) -> dict[str, str]:
    summary = "\n".join(f"- {name.removeprefix('firstlight/')}: {value}" for name, value in recorded.summary.items())
    return {"firstlight/findings": recorded.findings_markdown(), "firstlight/summary": summary}
