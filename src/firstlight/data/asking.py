"""`fl.check_data`; the engine is imported once it is known to be there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firstlight.data.engine import require_engine
from firstlight.data.said import Said
from firstlight.records.report import Report
from firstlight.settings import enabled, load


def check_data(  # noqa: PLR0913 (one parameter for each thing that can be said of the data)
    train: Any,
    *,
    val: Any = None,
    test: Any = None,
    target: str | None = None,
    time: str | None = None,
    group: str | None = None,
    schema: str | Path | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
) -> Report:
    """Judges data before a model is trained on them: paths, frames, arrays, datasets or loaders.

    The report is that of `firstlight data`; `report.verdict` and `report.findings` say what was found. A pair (inputs,
    targets), and what a torch dataset or loader gives, has its target by itself.
    """
    require_engine()
    from firstlight.data.judging import judged
    from firstlight.data.objects import source_of

    settings = load(Path.cwd(), select=select, ignore=ignore, in_python=True)
    given = {"train": train, "val": val, "test": test}
    sources = {name: source_of(each, name) for name, each in given.items() if each is not None}
    said = Said(target=target, time=time, group=group, schema=None if schema is None else Path(schema))
    return judged(sources, said, enabled(settings), tuple(source.name for source in sources.values()))
