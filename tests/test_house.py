"""What keeps the house in order: read from the sources themselves. The lists of exceptions may only get shorter."""

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "firstlight"
PUBLIC = "records/events.py"
"""The event log is read by programs that are not ours."""
UNREAD = """
    Chronicle.problems
    LearningSign.grown_high LearningSign.grown_low LearningSign.milliseconds
    ModelSeen.compiled Program.git
    ShapeTrace.called_again ShapeTrace.calls_in_all ShapeTrace.never_called
    TensorRow.l2 TimeOrder.val_first TimeOrder.val_last Timing.observed_seconds TracedCall.gave
    TracedCall.microseconds Trip.parameter
"""
"""Fields of records that only people read, in a log or a report."""
SHARED = """
    Activations Artifact Asked Book Call Choice Choices Clipping Columns Curve Entry Examples Experiment Fed
    Feed Feeding Frame Guard Histograms Invariant Known Level Limits Logged Look Looks Loop
    LossCall Losses Made Moments Order Output Pass Place Predictions Probe Ranks Reader
    Reading Reason Rehearsal Row Seen Spread Step Stretch Thinned Watch _Course
"""
"""Names of classes that stand for several things. `Limits` is what every check calls its own."""

SPELT_OUT = """
    checks/tables/types_mixed.py data/statistics.py data/summary.py diagnosis/evidence.py
    experiments/declared/derivatives.py experiments/declared/predicting.py
    experiments/declared/reference.py lab/surface.py
    observe/inside/taps/pairings.py observe/source/expressions.py report/html/parts.py
"""
"""Files that compare with a number that has no name."""
SMALL = (0, 1, 2, 3, 4)
"""Counts of what is there, not limits."""
AGAIN = """
    cli/STEPS experiments/declared/BATCHES experiments/declared/LEAST
    experiments/declared/MOST_COLUMNS experiments/declared/PAIR experiments/declared/SECONDS
    experiments/inside/LEAST facts/ENDS lab/LEAST_STEPS
    observe/inside/relations/LEAST_EXAMPLES observe/inside/relations/MOST_EXAMPLES
    observe/inside/taps/LEAST_STEPS observe/inside/taps/MOST_DEPTH observe/inside/taps/SAMPLE_EVERY
"""
"""Numbers that stand under one name in several files of a folder."""


@functools.cache
def trees() -> dict[Path, ast.Module]:
    return {path.relative_to(SOURCES): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES.rglob("*.py")}


def classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path, tree in trees().items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def test_a_class_name_is_used_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, node in classes():
        places[node.name].append(str(path))

    assert {name: where for name, where in places.items() if len(where) > 1 and name not in SHARED.split()} == {}
    assert {name for name in SHARED.split() if len(places[name]) < 2} == set(), "these are used once now: strike them"


def test_every_field_of_a_record_is_read_by_something() -> None:
    read = {
        node.attr
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    unread = {
        f"{node.name}.{field.target.id}"
        for path, node in classes()
        if path.parts[0] == "records" and path.as_posix() != PUBLIC
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.target.id not in read
    }

    assert unread - set(UNREAD.split()) == set()
    assert set(UNREAD.split()) - unread == set(), "these are read or gone now: strike them"


def number(node: ast.expr) -> float | None:
    """None for what is no number; a sign before it belongs to it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[attr-defined]


def test_what_is_compared_with_has_a_name() -> None:
    bare = {
        path.as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in map(number, (node.left, *node.comparators))
        if side is not None and abs(side) not in SMALL
    }

    assert bare - set(SPELT_OUT.split()) == set()
    assert set(SPELT_OUT.split()) - bare == set(), "these have names now: strike them"


def test_a_limit_is_written_once() -> None:
    """In one folder a name stands for one number, written in one place."""
    places: defaultdict[tuple[str, str, float], list[str]] = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body if path.parts[0] != "demo" else ():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if (written := number(value)) is not None:
                    places[path.parent.as_posix(), name, written].append(path.name)
    again = {f"{folder}/{name}": where for (folder, name, _), where in places.items() if len(where) > 1}

    assert {name: where for name, where in again.items() if name not in AGAIN.split()} == {}
    assert set(AGAIN.split()) - set(again) == set(), "these are written once now: strike them"


def test_what_is_measured_keeps_its_infinities() -> None:
    """`msgspec.json` writes `null` for them; records go through `records.wire`."""
    raw = [
        path.as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if "inside" in path.parts and isinstance(node, ast.Attribute) and ast.unparse(node) == "msgspec.json.encode"
    ]
    assert raw == []
