"""Metrics that evaluation computes wrongly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault, leak
from zoo.mutations.plant import at, replaced, wrapped
from zoo.mutations.source import Source, inside, last_name
from zoo.mutations.training import training


def _evaluated(source: Source, node: ast.AST) -> bool:
    return not training(source).trains(node)


def _decisions(source: Source) -> Iterator[ast.Call]:
    """The most likely class, in evaluation."""
    return (call for call in source.methods("argmax") if _evaluated(source, call) and _is_tensor(source, call))


def _is_tensor(source: Source, call: ast.Call) -> bool:
    text = source.text(call)
    return any(name in text for name in (*training(source).roles.models, "logit", "out", "pred", "score"))


def _lowest(source: Source, call: ast.Call) -> list[Edit]:
    assert isinstance(call.func, ast.Attribute)
    return edit.replace(source, call.func, f"{source.text(call.func.value)}.argmin")


def _comparisons(source: Source) -> Iterator[ast.expr]:
    """The targets a prediction is compared with, in evaluation."""
    for node in source.walk(ast.Compare):
        made = any(last_name(call) == "argmax" for call in inside(node.left, ast.Call)) or "pred" in source.text(
            node.left
        )
        if isinstance(node.ops[0], ast.Eq) and made and _evaluated(source, node):
            yield node.comparators[0]


def _sums(source: Source) -> Iterator[ast.AugAssign]:
    """What evaluation adds up over its batches."""
    for item in source.walk(ast.AugAssign):
        loop = source.loop(item)
        asked = loop is not None and any(
            last_name(c.func) in training(source).roles.models for c in inside(loop, ast.Call)
        )
        counted = isinstance(item.value, (ast.Call, ast.BinOp))
        if (
            isinstance(item.op, ast.Add)
            and asked
            and counted
            and loop not in training(source).loops
            and _evaluated(source, item)
        ) and not re.search(r"len\(|size\(|numel|shape", source.text(item.value)):
            yield item


def _overwritten(source: Source, item: ast.AugAssign) -> list[Edit]:
    return edit.rewrite(source, item, f"{source.text(item.target)} = {source.text(item.value)}")


def _thresholds(source: Source) -> Iterator[ast.Constant]:
    """The threshold of a decision between two classes, in evaluation."""
    for node in source.walk(ast.Compare):
        limit = node.comparators[0]
        if (
            isinstance(node.ops[0], ast.Gt)
            and isinstance(limit, ast.Constant)
            and limit.value in (0.5, 0, 0.0)
            and _evaluated(source, node)
            and re.search(r"prob|sigmoid|logit|model|net|score", source.text(node.left))
        ):
            yield limit


def _datasets_counted(source: Source) -> Iterator[ast.expr]:
    """`len(loader.dataset)` that a sum over examples is divided by."""
    for node in source.walk(ast.BinOp):
        over = node.right
        if isinstance(node.op, ast.Div) and source.text(over).endswith(".dataset)") and _evaluated(source, node):
            yield over


MUTATIONS = (
    fault(
        "lowest-class-chosen",
        "train-metric",
        "helper",
        "Evaluation takes the least likely class.",
        at(_decisions, _lowest),
    ),
    fault(
        "compared-with-neighbours",
        "train-metric",
        "helper",
        "Evaluation compares predictions with the targets of other rows.",
        at(_comparisons, wrapped("{}.roll(1, 0)")),
    ),
    fault(
        "sum-overwritten",
        "train-metric",
        "helper",
        "Evaluation keeps only what the last batch gave.",
        at(_sums, _overwritten),
    ),
    fault(
        "threshold-off",
        "train-metric",
        "helper",
        "Decides at a threshold nothing reaches.",
        at(_thresholds, replaced("0.999")),
    ),
    leak(
        "divided-by-batches",
        "train-metric",
        "helper",
        "Divides a sum over examples by the number of batches.",
        at(
            _datasets_counted,
            lambda source, node: edit.replace(source, node, source.text(node).replace(".dataset", "")),
        ),
    ),
)
