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
    tokenizer: str | Path | None = None,
    encoding: str | None = None,
    engine: str = "local",
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
) -> Report:
    """Judges data before a model is trained on them: paths, frames, arrays, datasets or loaders.

    The report is that of `firstlight data`; `report.verdict` and `report.findings` say what was found. A pair (inputs,
    targets), and what a torch dataset or loader gives, has its target by itself. What holds several splits (a folder, a
    `DatasetDict`) gives those that are not named.
    """
    require_engine()
    from firstlight.data.judging import judged
    from firstlight.data.objects import sources_of

    settings = load(Path.cwd(), select=select, ignore=ignore, in_python=True)
    sources = sources_of({"train": train, "val": val, "test": test}, encoding)
    said = Said(
        target=target,
        time=time,
        group=group,
        schema=None if schema is None else Path(schema),
        tokenizer=None if tokenizer is None else Path(tokenizer),
        engine=engine,
    )
    return judged(sources, said, enabled(settings), tuple(source.name for source in sources.values()))
