"""Tables held to a schema, and the schema that a good table keeps."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from firstlight.data.columns import ColumnTally, kind_of
from firstlight.data.hashing import numbers_of
from firstlight.data.schemas import ColumnRule, RuleTally, Schema, SchemaRule, widened
from firstlight.data.split import Split
from firstlight.data.summary import Engine, TableLayout, TableSummary
from firstlight.errors import UsageError
from firstlight.records.tables import Breach, SchemaHeld, few

MOST_RULED = 60
"""Columns of numbers among which relations are looked for."""
LEAST_RULED = 100
"""Rows from which on a relation that always holds is worth writing down."""
MOST_ALLOWED = 30
SAME = {"number", "whole", "flag"}


def held(split: Split, schema: Schema, file: str) -> SchemaHeld:
    breaches = [*_rows(split, schema), *_columns(split, schema), *_rules(split.summary.rules)]
    return SchemaHeld(file=split.file, split=split.name, schema=file, breaches=tuple(breaches))


def held_to_training(train: Split, other: Split) -> SchemaHeld:
    """Splits must have the same columns of the same kinds; the target may be left out of a test."""
    if not set(train.names) & set(other.names):
        theirs, ours = (few(tuple(split.names)) for split in (other, train))
        raise UsageError(f"{other.file} and {train.file} have no column in common: {theirs}, and {ours}.")
    absent = {train.layout.target} if other.name == "test" else set()
    rules = {
        name: ColumnRule(kind=tally.kind, optional=name in absent or train.layout.role(name) == "about")
        for name, tally in train.summary.tallies.items()
    }
    breaches = tuple(_columns(other, Schema(columns=rules)))
    return SchemaHeld(file=other.file, split=other.name, schema=train.file, breaches=breaches)


def _rows(split: Split, schema: Schema) -> Iterator[Breach]:
    if split.name == "train" and split.summary.rows < schema.rows:
        yield Breach(column="", saw=f"{split.summary.rows:,} rows", wanted=f"at least {schema.rows:,}")


def _columns(split: Split, schema: Schema) -> Iterator[Breach]:
    absent = tuple(name for name, rule in schema.columns.items() if name not in split.names and not rule.optional)
    if absent:
        more = tuple(f"`{name}`" for name in split.names if name not in schema.columns)
        unknown = f"; {few(more)} is there instead" if more else ""
        listed = few(tuple(f"`{name}`" for name in absent), 8)
        yield Breach(column=absent[0], saw=f"no {listed} among its columns{unknown}", wanted=listed)
    for name, rule in schema.columns.items():
        tally = split.summary.tallies.get(name)
        if tally is None:
            continue
        if rule.kind is not None and not _fits(tally, rule.kind):
            yield Breach(column=name, saw=f"`{tally.kind}`{_stray(split, name, rule)}", wanted=f"`{rule.kind}`")
            continue
        yield from _values(split, tally, rule)


def _fits(tally: ColumnTally, wanted: str) -> bool:
    """Whole numbers are numbers; missing ones make numbers of whole ones."""
    if tally.kind == wanted or tally.missing == tally.rows:
        return True
    return {tally.kind, wanted} <= SAME and not (wanted == "flag" and tally.counts is None)


def _stray(split: Split, name: str, rule: ColumnRule) -> str:
    if rule.kind not in SAME or kind_of(split.table[name].type) != "text":
        return ""
    for row, value in zip(split.rows, split.table[name].to_pylist(), strict=True):
        try:
            float(value or 0)
        except ValueError:
            return f", such as {value[:40]!r} in row {row}"
    return ""


def _values(split: Split, tally: ColumnTally, rule: ColumnRule) -> Iterator[Breach]:
    name, share = tally.name, tally.missing / max(1, tally.rows)
    if share > rule.missing:
        yield Breach(column=name, saw=f"{share:.2%} of its values missing", wanted=f"at most {rule.missing:.2%}")
    if rule.low is not None and tally.low is not None and tally.low < rule.low:
        rows = _beyond(split, name, lambda numbers: numbers < rule.low)
        yield Breach(column=name, saw=f"down to {tally.low:.8g}", wanted=f"not below {rule.low:.8g}", rows=rows)
    if rule.high is not None and tally.high is not None and tally.high > rule.high:
        rows = _beyond(split, name, lambda numbers: numbers > rule.high)
        yield Breach(column=name, saw=f"up to {tally.high:.8g}", wanted=f"not above {rule.high:.8g}", rows=rows)
    if rule.allowed is not None:
        known = set(tally.counts or {}) if tally.counts is not None else {str(v) for v in split.table[name].to_pylist()}
        others = tuple(sorted(known - set(rule.allowed) - {"None"}))
        if others:
            yield Breach(column=name, saw=few(others), wanted=f"only {few(rule.allowed, 8)}")


def _beyond(split: Split, name: str, wrong: Any) -> tuple[int, ...]:
    numbers = numbers_of(split.table[name].combine_chunks())
    return tuple(int(row) for row in split.rows[np.flatnonzero(wrong(numbers))[:5]])


def _rules(tallies: list[RuleTally]) -> Iterator[Breach]:
    for tally in tallies:
        if tally.broken:
            yield Breach(
                column=tally.rule.left,
                saw=f"{tally.broken:,} rows with {', '.join(tally.examples[:3])}",
                wanted=f"`{tally.rule}`",
                rows=tuple(tally.rows),
            )


def profiled(split: Split, engine: Engine) -> Schema:
    """What holds for every row of the table, a little widened; relations are tried on a sample, then on all rows."""
    candidates = tuple(_candidates(split))
    kept: TableSummary | None = None
    if candidates:
        bare = TableLayout(rules=candidates, keys=1, sample_rows=1)
        kept = engine(split.source, bare)
    rules = tuple(str(one.rule) for one in (kept.rules if kept else ()) if one.asked and not one.broken)
    columns = {name: _profile(tally) for name, tally in split.summary.tallies.items()}
    return Schema(rows=split.summary.rows // 2, columns=columns, rules=rules)


def _profile(tally: ColumnTally) -> ColumnRule:
    share = tally.missing / max(1, tally.rows)
    low, high = tally.low, tally.high
    numeric = tally.kind in ("number", "whole") and low is not None and high is not None
    if numeric and low is not None and high is not None:
        low, high = widened(low, high, tally.kind)
    few_values = tally.kind == "text" and tally.counts is not None and len(tally.counts) <= MOST_ALLOWED
    return ColumnRule(
        kind=tally.kind,
        low=low if numeric else None,
        high=high if numeric else None,
        allowed=tuple(sorted(tally.counts or ())) if few_values else None,
        missing=min(1.0, 2 * share),
    )


def _candidates(split: Split) -> Iterator[SchemaRule]:
    """Pairs of columns whose ranges meet, of which one is never below the other in the sample."""
    numeric = [name for name, tally in split.summary.tallies.items() if tally.kind in ("number", "whole", "time")]
    numeric = [name for name in numeric if name not in split.layout.numbered][:MOST_RULED]
    if len(split.rows) < LEAST_RULED:
        return
    values = {name: numbers_of(split.table[name].combine_chunks()) for name in numeric}
    for place, left in enumerate(numeric):
        for right in numeric[place + 1 :]:
            one, other = values[left], values[right]
            known = np.isfinite(one) & np.isfinite(other)
            if known.sum() < LEAST_RULED or not _meet(one[known], other[known]):
                continue
            above = one[known] - other[known]
            if (above == 0).all():
                yield SchemaRule(left, "==", right)
            elif (above >= 0).all():
                yield SchemaRule(left, ">=", right)
            elif (above <= 0).all():
                yield SchemaRule(left, "<=", right)


def _meet(one: Any, other: Any) -> bool:
    """Otherwise their ranges alone say which is larger."""
    low, high = max(one.min(), other.min()), min(one.max(), other.max())
    spans = max(one.max() - one.min(), other.max() - other.min())
    return bool(spans > 0 and high - low > 0.2 * spans)
