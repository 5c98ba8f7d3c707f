"""Triplet losses as they are written: a hinge over how near a positive is, how near a negative is, and a margin."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from firstlight.records.source import SourceFile, Triplet
from firstlight.records.syntax import SCOPES, name_of, own

POSITIVE = re.compile(r"(?:^|_|\b)(?:pos|positives?|p)(?:$|_|\b)", re.IGNORECASE)
NEGATIVE = re.compile(r"(?:^|_|\b)(?:neg|negatives?|n)(?:$|_|\b)", re.IGNORECASE)
HINGES = frozenset({"relu", "clamp", "clamp_min", "softplus", "max", "maximum"})
TAKING_DISTANCES = frozenset({"TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss"})
NEARNESS = {"cosine_similarity": 1, "CosineSimilarity": 1, "pairwise_distance": -1, "PairwiseDistance": -1}
"""Functions of two, by whether they are large for what is alike."""
NEAR = re.compile("|".join(NEARNESS))
Measured = tuple[int, str]
"""1 for a similarity, -1 for a distance; and whether to the positive or to the negative."""


def triplets(source: SourceFile) -> Iterator[Triplet]:
    if "torch" not in source.imports or not source.says(NEAR):
        return
    for call in source.nodes(ast.Call):
        for keyword in call.keywords if name_of(call.func) in TAKING_DISTANCES else ():
            value = keyword.value.func if isinstance(keyword.value, ast.Call) else keyword.value
            if keyword.arg == "distance_function" and (nearness := NEARNESS.get(name_of(value))):
                yield Triplet(
                    spot=source.spot(keyword.value), similar=nearness > 0, adds="positive", to=name_of(call.func)
                )
    for scope in source.nodes(*SCOPES):
        yield from _hinges(source, list(own(scope)))


def _hinges(source: SourceFile, nodes: list[Any]) -> Iterator[Triplet]:
    made = {n.targets[0].id: n.value for n in nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)}
    for call in nodes:
        if not isinstance(call, ast.Call) or name_of(call.func) not in HINGES:
            continue
        for argument in [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]:
            terms = list(_terms(_looked_up(argument, made)))
            measured = {found: sign for sign, term in terms if (found := _measured(_looked_up(term, made))) is not None}
            roles = {role: sign for (_, role), sign in measured.items()}
            if len(terms) > len(roles) == 2 and len({near for near, _ in measured}) == 1 and not sum(roles.values()):
                near = next(near for near, _ in measured)
                adds = "positive" if roles["positive"] > 0 else "negative"
                yield Triplet(spot=source.spot(argument), similar=near > 0, adds=adds, to=name_of(call.func))


def _terms(node: ast.expr, sign: int = 1) -> Iterator[tuple[int, ast.expr]]:
    """Of a sum, each with its sign."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield from _terms(node.left, sign)
        yield from _terms(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from _terms(node.operand, -sign)
    else:
        yield sign, node


def _measured(value: ast.expr) -> Measured | None:
    sign = 1
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) and ast.unparse(value.left) in ("1", "1.0"):
        value, sign = value.right, -1
    if not isinstance(value, ast.Call) or name_of(value.func) not in NEARNESS:
        return None
    roles = [role for argument in value.args[:2] if (role := _role(argument))]
    return (sign * NEARNESS[name_of(value.func)], roles[0]) if len(roles) == 1 else None


def _role(argument: ast.expr) -> str:
    name = ast.unparse(argument)
    is_positive, is_negative = POSITIVE.search(name) is not None, NEGATIVE.search(name) is not None
    return "" if is_positive == is_negative else "positive" if is_positive else "negative"


def _looked_up(node: ast.expr, made: dict[str, ast.expr]) -> ast.expr:
    return made.get(node.id, node) if isinstance(node, ast.Name) else node
