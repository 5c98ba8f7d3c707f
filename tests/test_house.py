"""What keeps the house in order: read from the sources themselves. The lists of exceptions may only get shorter."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "firstlight"
TREES = {path.relative_to(SOURCES): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES.rglob("*.py")}
PUBLIC = "records/events.py"
"""The event log is read by programs that are not ours."""
UNREAD = """
    AttentionRows.heads Chronicle.problems FirstBad.also GradientProfile.mean_norm GradientTried.coordinates
    LearningSign.grown_high LearningSign.grown_low LearningSign.milliseconds LossRoot.unreached
    ModeGap.dropouts ModelSeen.compiled Normalisation.tracks Program.git QuickValidation.extended
    QuickValidation.noisy_layers ShapeTrace.called_again ShapeTrace.calls_in_all ShapeTrace.never_called
    TensorRow.l2 TimeOrder.val_first TimeOrder.val_last Timing.observed_seconds TracedCall.gave
    TracedCall.microseconds Trip.parameter UnitGroup.values_a_unit
"""
"""Fields of records that only people read, in a log or a report."""
SHARED = """
    Activations Artifact Asked Book Call Choice Choices Clipping Columns Curve Entry Examples Experiment Fed
    Feed Feeding Frame Guard Histograms Invariant Judgement Known Level Limits Logged Look Looks Loop
    LossCall Losses Made Moments Order Output Pass Place Predictions Probe QuickValidation Ranks Reader
    Reading Reason Rehearsal Row Seen Spread Step Stretch Thinned Watch _Course
"""
"""Names of classes that stand for several things. `Limits` is what every check calls its own."""


def classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path, tree in TREES.items():
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
        for tree in TREES.values()
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
