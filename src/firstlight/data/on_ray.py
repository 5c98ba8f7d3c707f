"""The same pass with Ray Data: each file of a folder is a task on whichever machine is free, and gives its summary."""

import logging
import os
import pickle
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from firstlight.data.engine import require
from firstlight.data.source import TableSource
from firstlight.data.summary import TableLayout, TableSummary, summary_of
from firstlight.errors import UnreadableError, UsageError


def on_ray(source: TableSource, layout: TableLayout) -> TableSummary:
    """Files must be at the same path on every machine. Joins the cluster of `RAY_ADDRESS`, or starts one here."""
    require("ray", "`--engine ray`")
    if any(part.rows is None for part in source.parts):
        raise UsageError(
            f"`--engine ray` reads Parquet, whose files tell how many rows they have; {source.name} is none."
        )
    import ray
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not ray.is_initialized():
        address = "auto" if os.environ.get("RAY_ADDRESS") else "local"  # and not whichever runs on this machine
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    firsts = accumulate((part.rows or 0 for part in source.parts), initial=0)
    parts = (replace(part, path=str(Path(part.path).resolve())) for part in source.parts)
    items = [{"part": pickle.dumps(part), "first": first} for part, first in zip(parts, firsts, strict=False)]
    told = {"layout": pickle.dumps(layout)}
    made = ray.data.from_items(items, override_num_blocks=len(items)).map(_task, fn_kwargs=told)
    whole = TableSummary(layout)
    for row in made.iter_rows():
        if row["problem"]:
            raise UnreadableError(row["problem"])
        whole.merge(pickle.loads(row["summary"]))
    return whole


def _task(item: dict[str, Any], layout: bytes) -> dict[str, Any]:
    try:
        part = pickle.loads(item["part"])
        summary = summary_of(part, pickle.loads(layout), int(item["first"]))
    except UnreadableError as problem:
        return {"summary": b"", "problem": str(problem)}
    return {"summary": pickle.dumps(summary), "problem": ""}
