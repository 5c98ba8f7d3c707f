"""Tables held to a schema, and the schema that a good table keeps."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc

from firstlight.data.columns import NUMERIC, ColumnTally, kind_of, written
from firstlight.data.hashing import numbers_of
from firstlight.data.images import GREY
from firstlight.data.schemas import MOST_ROWS, TAIL, ColumnRule, RuleTally, Schema, SchemaRule, widened
from firstlight.data.split import Split
from firstlight.data.summary import Engine, TableLayout, TableSummary
from firstlight.errors import UsageError
from firstlight.records.tables import Breach, SchemaHeld, few

MOST_RULED = 60
"""Columns of numbers among which relations are looked for."""
LEAST_RULED = 100
"""Rows from which on a relation that always holds is worth writing down."""
LEAST_CROSSED = 20
"""Rows in which a relation would be broken if the columns had nothing to do with each other."""
EDGE = 10
"""Which of the smallest differences is set beside the very smallest …"""
SHARP = 0.5
"""… and the share of it that this is at most where differences stop at zero: a tenth to a third is usual there."""
MOST_ALLOWED = 30
HUNDREDTHS = (1, 99)


def held(split: Split, schema: Schema, file: str) -> SchemaHeld:
    breaches = [*_rows(split, schema), *_columns(split, schema), *_rules(split.summary.rules)]
    return SchemaHeld(file=split.file, schema=file, breaches=tuple(breaches))


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
    return SchemaHeld(file=other.file, schema=train.file, breaches=breaches)


def _rows(split: Split, schema: Schema) -> Iterator[Breach]:
    if split.name == "train" and split.summary.rows < schema.rows:
        yield Breach(column="", saw=f"{split.summary.rows:,} rows", wanted=f"at least {schema.rows:,}")


def _columns(split: Split, schema: Schema) -> Iterator[Breach]:
    tallies = split.summary.tallies
    absent = tuple(name for name, rule in schema.columns.items() if name not in tallies and not rule.optional)
    if absent:
        more = tuple(f"`{name}`" for name in split.names if name not in schema.columns)
        unknown = f"; {few(more)} is there instead" if more else ""
        listed = few(tuple(f"`{name}`" for name in absent), 8)
        yield Breach(column=absent[0], saw=f"no {listed} among its columns{unknown}", wanted=listed)
    for name, rule in schema.columns.items():
        tally = tallies.get(name)
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
    return {tally.kind, wanted} <= NUMERIC and not (wanted == "flag" and tally.counts is None)


def _stray(split: Split, name: str, rule: ColumnRule) -> str:
    if rule.kind not in NUMERIC or kind_of(split.table[name].type) != "text":
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
        rows = _rows_where(split, pc.is_null(split.table[name], nan_is_null=True))
        wanted = f"at most {rule.missing:.2%}"
        yield Breach(column=name, saw=f"{share:.2%} of its values missing", wanted=wanted, rows=rows)
    if rule.low is not None and tally.low is not None and tally.low < rule.low:
        rows = _rows_where(split, numbers_of(split.table[name].combine_chunks()) < rule.low)
        yield Breach(column=name, saw=f"down to {tally.low:.8g}", wanted=f"not below {rule.low:.8g}", rows=rows)
    if rule.high is not None and tally.high is not None and tally.high > rule.high:
        rows = _rows_where(split, numbers_of(split.table[name].combine_chunks()) > rule.high)
        yield Breach(column=name, saw=f"up to {tally.high:.8g}", wanted=f"not above {rule.high:.8g}", rows=rows)
    if rule.allowed is not None:
        seen = [None if value is None else written(value) for value in split.table[name].to_pylist()]
        others = {*(seen if tally.counts is None else tally.counts)} - {*rule.allowed, None}
        if others:
            rows = _rows_where(split, [value in others for value in seen])
            told = few(tuple(f"{value!r}" for value in sorted(others)))
            yield Breach(column=name, saw=told, wanted=f"only {few(rule.allowed, 8)}", rows=rows)


def _rows_where(split: Split, wrong: Any) -> tuple[int, ...]:
    """The first, of those in the sample."""
    return tuple(int(row) for row in split.rows[np.flatnonzero(wrong)[:MOST_ROWS]])


def _rules(tallies: list[RuleTally]) -> Iterator[Breach]:
    for tally in tallies:
        if tally.broken:
            yield Breach(
                column=tally.rule.left,
                saw=f"not so in {tally.broken:,} of {tally.asked:,} rows: {', '.join(tally.examples[:3])}",
                wanted=f"`{tally.rule}`",
                rows=tuple(tally.rows),
            )


def profiled(split: Split, engine: Engine) -> Schema:
    """What holds for every row of the table, a little widened; relations are tried on a sample, then on all rows."""
    left_out = GREY if split.source.images else ()  # shades of single places, which every picture has others of
    candidates = () if split.source.images else tuple(_candidates(split))
    kept: TableSummary | None = None
    if candidates:
        bare = TableLayout(rules=candidates, keys=1, sample_rows=1)
        kept = engine(split.source, bare)
    rules = tuple(str(one.rule) for one in (kept.rules if kept else ()) if one.asked and not one.broken)
    columns = {name: _profile(split, tally) for name, tally in split.summary.tallies.items() if name not in left_out}
    return Schema(rows=split.summary.rows // 2, columns=columns, rules=rules)


def _profile(split: Split, tally: ColumnTally) -> ColumnRule:
    share = tally.missing / max(1, tally.rows)
    low, high = tally.low, tally.high
    numeric = tally.kind in ("number", "whole") and low is not None and high is not None
    if numeric and low is not None and high is not None:
        numbers = numbers_of(split.table[tally.name].combine_chunks())
        usual = np.percentile(numbers[np.isfinite(numbers)], HUNDREDTHS)
        low, high = widened(low, high, tally.kind, (float(usual[0]), float(usual[1])), tally.rows)
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
            sign = _relation(one[known], other[known])
            if sign is not None:
                yield SchemaRule(left, sign, right)


def _relation(one: Any, other: Any) -> str | None:
    """The sign that holds in every row, and would not between values of different rows."""
    above, mixed = one - other, one - np.roll(other, len(other) // 2)
    if (above == 0).all():
        return "=="
    for sign, apart, crossed in ((">=", above, mixed < 0), ("<=", -above, mixed > 0)):
        if (apart >= 0).all() and crossed.sum() >= LEAST_CROSSED and _ends_at_zero(apart):
            return sign
    return None


def _ends_at_zero(apart: Any) -> bool:
    """Differences that stop at zero, or keep well away from it; those that thin out towards it will cross it yet."""
    least, later = np.sort(apart)[[0, EDGE]]
    return bool(least <= SHARP * later or least >= TAIL * (later - least))


def _meet(one: Any, other: Any) -> bool:
    """Otherwise their ranges alone say which is larger."""
    low, high = max(one.min(), other.min()), min(one.max(), other.max())
    spans = max(one.max() - one.min(), other.max() - other.min())
    return bool(spans > 0 and high - low > 0.2 * spans)
