"""The composition root for data: reads splits, derives facts, has them judged, and reports."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from firstlight.checks.declare import Check
from firstlight.data import schemas, texts
from firstlight.data.answers import answers
from firstlight.data.holding import held, held_to_training, profiled
from firstlight.data.images import DARKEST, FLAT
from firstlight.data.matrix import is_prose
from firstlight.data.on_ray import on_ray
from firstlight.data.relations import drift, repeats, shared_groups, shared_rows, shared_times
from firstlight.data.said import Said
from firstlight.data.source import MixedColumnError, TableSource
from firstlight.data.split import MOST_COMPARED, Split, split_of, table_seen
from firstlight.data.summary import Engine, TableLayout, TableSummary, head_of, in_this_process, layout_of
from firstlight.facts.sources import READ_FROM_TABLES
from firstlight.findings.gather import order
from firstlight.findings.judge import Judgement, judge
from firstlight.judge.report import report, timing_since
from firstlight.records.report import Coverage, Report, Subject
from firstlight.records.tables import (
    ImagesSeen,
    LabelDoubts,
    RepeatedRows,
    SharedRows,
    SplitDrift,
    TableSeen,
    TextsSeen,
)

ENGINES: Mapping[str, Engine] = {"local": in_this_process, "ray": on_ray}
BROKEN_EXAMPLES = 5
TELLING_SKILL = 0.2
"""Of classes that can hardly be told, no label is more doubtful than another."""


def judged(sources: Mapping[str, TableSource], said: Said, checks: Sequence[Check], words: tuple[str, ...]) -> Report:
    begun = time.monotonic()
    asked = [check for check in checks if check.needs in READ_FROM_TABLES]
    facts, splits = facts_of(sources, said, frozenset(check.needs for check in asked))
    judgement = judge(asked, facts, trained=True)
    timing = timing_since(begun)
    made = report(
        Subject(kind="tables", command=("data", *words), file=splits[0].file),
        Judgement(order(judgement.findings, frozenset()), judgement.outcomes),
        Coverage(seconds=timing.seconds, ended=_told(splits), limits=tuple(_limits(splits))),
        timing,
    )
    return msgspec.structs.replace(made, tables=tuple(_shown(facts)))


def _shown(facts: Sequence[Any]) -> Iterator[TableSeen]:
    """Tables with what else the report shows of them: drift beside each column, and the most doubtful labels."""
    far = {
        fact.split: {one.name: one.distance for one in fact.columns} for fact in facts if isinstance(fact, SplitDrift)
    }
    labels = [fact for fact in facts if isinstance(fact, LabelDoubts)]
    doubts = next((fact for fact in labels if fact.doubts.skill >= TELLING_SKILL), None)
    for fact in facts:
        if isinstance(fact, TableSeen):
            drifts = far.get(fact.split, {})
            columns = tuple(msgspec.structs.replace(one, drift=drifts.get(one.name)) for one in fact.columns)
            told = doubts.doubtful if doubts is not None and fact.split == "train" else ()
            yield msgspec.structs.replace(fact, columns=columns, doubts=told)


def facts_of(
    sources: Mapping[str, TableSource], said: Said, needed: frozenset[type] = READ_FROM_TABLES
) -> tuple[list[Any], list[Split]]:
    """What the checks need and no more; the tables themselves in any case, for the report."""
    schema = None if said.schema is None else schemas.read(said.schema)
    rules = () if schema is None else schemas.rules_of(schema, str(said.schema))
    layout, head = _begun(sources["train"], {"target": said.target, "group": said.group, "time": said.time}, rules)
    engine = ENGINES[said.engine]
    splits = [split_of(name, source, passed(source, layout, engine)) for name, source in sources.items()]
    tokenizer = None if said.tokenizer is None else texts.tokenizer_at(said.tokenizer)
    facts: list[Any] = []
    for split in splits:
        facts.append(table_seen(split, splits[0]))
        facts += [repeats(split)] if RepeatedRows in needed else []
        facts += _texts(split, tokenizer) if TextsSeen in needed else []
        facts += _images(split)
        facts += [] if schema is None else [held(split, schema, str(said.schema))]
    facts += answers(splits[0], head, needed)
    for other in splits[1:]:
        facts += _between(splits[0], other, needed)
    return facts, splits


def _begun(
    source: TableSource, roles: dict[str, str | None], rules: tuple[schemas.SchemaRule, ...]
) -> tuple[TableLayout, Any]:
    try:
        head = head_of(source)
        return layout_of(source, head, roles, rules), head
    except MixedColumnError as mixed:
        return _begun(source.reading_as_text(mixed), roles, rules)


def passed(source: TableSource, layout: TableLayout, engine: Engine) -> TableSummary:
    """One pass, begun anew where a column of a CSV file turns out to hold more than numbers."""
    try:
        return engine(source, layout)
    except MixedColumnError as mixed:
        return passed(source.reading_as_text(mixed), layout, engine)


def _between(train: Split, other: Split, needed: frozenset[type]) -> Iterator[Any]:
    yield held_to_training(train, other)
    if SharedRows in needed:
        yield shared_rows(train, other)
    if SplitDrift in needed:
        yield drift(train, other)
    if train.layout.group in other.names and train.layout.group is not None:
        yield shared_groups(train, other, train.layout.group)
    if train.layout.time in other.names and train.layout.time is not None:
        times = shared_times(train, other, train.layout.time)
        if times is not None:
            yield times


def _texts(split: Split, tokenizer: Any) -> Iterator[Any]:
    for name in split.inputs:
        if is_prose(split.table[name]):
            yield texts.seen(split, name, tokenizer)


def _images(split: Split) -> Iterator[ImagesSeen]:
    if not split.source.images:
        return
    names = split.table["file"].to_pylist()
    broken = [f"{name} ({why})" for name, why in zip(names, split.table["broken"].to_pylist(), strict=True) if why]
    contrasts = zip(names, split.table["contrast"].to_pylist(), strict=True)
    flat = [name for name, contrast in contrasts if contrast is not None and contrast < FLAT]
    brightest = zip(names, split.table["brightest"].to_pylist(), strict=True)
    dark = [name for name, shade in brightest if shade is not None and 0 < shade <= DARKEST]
    flat = [name for name in flat if name not in set(dark)]
    yield ImagesSeen(
        file=split.file,
        split=split.name,
        images=len(names),
        broken=len(broken),
        broken_examples=tuple(broken[:BROKEN_EXAMPLES]),
        flat=len(flat),
        flat_examples=tuple(flat[:BROKEN_EXAMPLES]),
        dark=len(dark),
        dark_examples=tuple(dark[:BROKEN_EXAMPLES]),
        modes=dict(split.summary.tallies["mode"].counts or {}),
    )


def profile(source: TableSource, engine: str) -> str:
    """The schema of good data, as the text of a file."""
    layout, _ = _begun(source, {}, ())
    split = split_of("train", source, passed(source, layout, ENGINES[engine]))
    return schemas.written(profiled(split, ENGINES[engine]), source.name)


def _told(splits: Sequence[Split]) -> str:
    return "; ".join(f"{s.file}: {s.summary.rows:,} rows × {len(s.names):,} columns" for s in splits)


def _limits(splits: Sequence[Split]) -> Iterator[str]:
    for split in splits:
        rows = split.summary.rows
        if len(split.rows) < rows:
            yield f"distributions and the target were judged on {len(split.rows):,} random rows of {split.file}"
        if not split.summary.exact.whole:
            looked = len(split.summary.exact.keys)
            yield f"copies were looked for among {looked:,} rows of {split.file}, each with all its copies"
        if len(split.layout.inputs(split.names)) > MOST_COMPARED:
            yield f"of {split.file} the first {MOST_COMPARED:,} columns were compared with one another and the target"
    if splits[0].layout.target is None:
        yield "no target was named (`--target`), so what inputs and target have to do with each other is not judged"
    if len(splits) == 1:
        yield "no other split was given (`--val`, `--test`), so nothing is said about leaks between splits"
