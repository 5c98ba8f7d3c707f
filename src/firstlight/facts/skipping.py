"""Steps that stand behind a condition on what was computed, where the backward before them does not. Pure."""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from firstlight.records.facts import Stepping
from firstlight.records.places import Site
from firstlight.records.source import Call, SourceFile, TrainingLoop

ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def with_skips(facts: Sequence[Any]) -> list[Any]:
    """Each account of backwards and steps, with the `if` that all steps of their loop stand behind."""
    sources = {fact.path: fact for fact in facts if isinstance(fact, SourceFile)}
    loops = [fact for fact in facts if isinstance(fact, TrainingLoop)]
    return [
        replace(fact, skipped=next(_skips(fact.backward_site, loops, sources), None))
        if isinstance(fact, Stepping) and fact.backward_site is not None
        else fact
        for fact in facts
    ]


def _skips(backward: Site, loops: list[TrainingLoop], sources: dict[str, SourceFile]) -> Iterator[Site]:
    for loop in loops:
        for call in loop.backwards:
            if (call.spot.file, call.spot.line) != (backward.file, backward.line) or call.spot.file not in sources:
                continue
            tests = [_test_of(update, call, sources[call.spot.file]) for update in loop.updates]
            counted = {name for one in call.loops for name in _counters(one.node)}
            if tests and all(test is not None and _is_of_values(test, counted) for test in tests):
                yield Site(file=backward.file, line=min(test.lineno for test in tests if test is not None))


def _test_of(update: Call, backward: Call, source: SourceFile) -> ast.expr | None:
    """Of the innermost `if` around the one that is not around the other."""
    lines = update.spot.line, backward.spot.line
    around = [
        node
        for node in source.nodes(ast.If)
        if update.spot.file == source.path
        and node.body[0].lineno <= lines[0] <= (node.body[-1].end_lineno or 0)
        and not node.lineno <= lines[1] <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).test if around else None


def _is_of_values(test: ast.expr, counted: set[str]) -> bool:
    """An order of numbers, none of which counts rounds: accumulation and a late start are no judgement of a step."""
    nodes = list(ast.walk(test))
    compares = any(isinstance(node, ast.Compare) and isinstance(node.ops[0], ORDERS) for node in nodes)
    rounds = any(isinstance(node, ast.Mod) or (isinstance(node, ast.Name) and node.id in counted) for node in nodes)
    return compares and not rounds


def _counters(loop: ast.AST) -> Iterator[str]:
    """What a loop goes through, and what is added to in it."""
    targets = [node.target for node in ast.walk(loop) if isinstance(node, ast.For | ast.AugAssign)]
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
