"""Steps that stand behind a condition, where the backward before them does not: on what was computed, or on how many
rounds were made. Pure."""

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
        _with_skip(fact, fact.backward_site, loops, sources)
        if isinstance(fact, Stepping) and fact.backward_site is not None
        else fact
        for fact in facts
    ]


def _with_skip(fact: Stepping, backward: Site, loops: list[TrainingLoop], sources: dict[str, SourceFile]) -> Stepping:
    for loop in loops:
        for call in loop.backwards:
            if (call.spot.file, call.spot.line) != (backward.file, backward.line) or call.spot.file not in sources:
                continue
            found = [_test_of(update, call, sources[call.spot.file]) for update in loop.updates]
            tests = [test for test in found if test is not None]
            if not tests or len(tests) < len(found):
                continue
            site = Site(file=backward.file, line=min(test.lineno for test in tests))
            counted = {name for one in call.loops for name in _counters(one.node)}
            if all(_is_of_values(test, counted) for test in tests):
                return replace(fact, skipped=site)
            if all(_is_of_rounds(test) for test in tests):
                return replace(fact, gathering=site)
    return fact


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


def _is_of_rounds(test: ast.expr) -> bool:
    """Every so many rounds: `(i + 1) % 8 == 0`."""
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in ast.walk(test))


def _counters(loop: ast.AST) -> Iterator[str]:
    """What a loop goes through, and what is added to in it."""
    targets = [node.target for node in ast.walk(loop) if isinstance(node, ast.For | ast.AugAssign)]
    for target in targets:
        yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
