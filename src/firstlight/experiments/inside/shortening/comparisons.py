"""Comparisons by which weights are kept: `if score > best: best = score; torch.save(…)`, in source and at work.

    if score > best:                if __firstlight_better__(4, score, best):

A comparison counts where the branch it opens keeps something and one of its sides is what that branch assigns, or is
called the best; also where its outcome is given such a name (`is_best = score > best`).
"""

import ast
import contextlib
import functools
import math
import operator
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from firstlight.experiments.inside.shortening.rewriting import call, compiles

BETTER = "__firstlight_better__"
MOST_VALUES = 16
KEEPS = re.compile(r"save|state_dict|deepcopy|checkpoint|clone", re.IGNORECASE)
BEST = re.compile(r"(?:^|[^a-z])best", re.IGNORECASE)
SAYS_BETTER = re.compile(r"best|improved|better", re.IGNORECASE)
ORDER: dict[type[ast.cmpop], tuple[Callable[[Any, Any], Any], bool]] = {
    ast.Lt: (operator.lt, False),
    ast.LtE: (operator.le, False),
    ast.Gt: (operator.gt, True),
    ast.GtE: (operator.ge, True),
}
"""What each does, and whether it holds for the larger of two."""
Names = Callable[[float], frozenset[str]]


@dataclass
class Comparison:
    file: str
    line: int
    metric: str
    best: str
    holds: Callable[[Any, Any], Any]
    metric_first: bool
    larger: bool
    """The larger number is kept."""
    when: bool
    """The outcome at which it is kept."""
    met: list[float] = field(default_factory=list)
    against: list[float] = field(default_factory=list)
    known: list[frozenset[str]] = field(default_factory=list)
    """Everything measured that was equal to the number, each time."""
    times: int = 0
    kept: int = 0
    noted: bool = False
    """The best so far is set where it is kept."""
    named: tuple[str, ...] = ()
    """Plain names that are given another one where it is kept, and nothing is copied or saved."""
    itself: str = ""
    """The one of them that is a model: it goes on training under both names."""
    last: int = 0
    """The last line of the branch that it opens."""

    def best_met(self) -> float:
        """Of the numbers so far, where nobody else remembers it."""
        worst = -math.inf if self.larger else math.inf
        return functools.reduce(lambda one, other: other if self.holds(other, one) else one, self.met, worst)


class Comparisons:
    """All of one process."""

    def __init__(self) -> None:
        self.found: list[Comparison] = []
        self.names: Names = lambda _: frozenset()
        """What is known to be equal to a number at this moment."""

    def register(self, file: str) -> Callable[..., int]:
        def registered(**found: Any) -> int:
            self.found.append(Comparison(file=file, **found))
            return len(self.found) - 1

        return registered

    def better(self, number: int, left: Any, right: Any) -> Any:
        """In place of the comparison itself."""
        one = self.found[number]
        outcome = one.holds(left, right)
        with contextlib.suppress(Exception):  # whatever is compared, the program must go on
            metric, best = (left, right) if one.metric_first else (right, left)
            self.note(one, float(metric), float(best), bool(outcome))
            frame = sys._getframe(1)
            names = {**frame.f_globals, **frame.f_locals} if one.named else {}
            one.itself = next((name for name in one.named if _is_model(names.get(name))), "")
        return outcome

    def note(self, one: Comparison, metric: float, best: float, outcome: bool) -> None:
        one.times += 1
        one.kept += outcome == one.when
        if len(one.met) < MOST_VALUES:
            one.met.append(metric)
            one.against.append(best)
            one.known.append(self.names(metric))


def watched(tree: ast.Module, register: Callable[..., int]) -> ast.Module:
    found: ast.Module = _Watched(register).visit(tree)
    return found


@dataclass(frozen=True)
class _Branch:
    """What a comparison opens."""

    assigned: frozenset[str] = frozenset()
    named: tuple[str, ...] = ()
    last: int = 0


class _Watched(ast.NodeTransformer):
    def __init__(self, register: Callable[..., int]) -> None:
        self._register = register

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if any(map(compiles, node.decorator_list)) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        otherwise = [] if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) else node.orelse
        for branch, when in ((node.body, True), (otherwise, False)):
            named = tuple(_renamed(branch, ast.unparse(node.test)))
            if named or _keeps(branch):
                node.test = self._test(node.test, _Branch(frozenset(_assigned(branch)), named, _end(branch)), when)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if len(node.targets) == 1 and SAYS_BETTER.search(ast.unparse(node.targets[0])):
            node.value = self._test(node.value, _Branch(), when=True)
        return node

    def _test(self, test: ast.expr, branch: _Branch, when: bool) -> ast.expr:
        match test:
            case ast.BoolOp():
                test.values = [self._test(value, branch, when) for value in test.values]
            case ast.UnaryOp(op=ast.Not()):
                test.operand = self._test(test.operand, branch, not when)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in ORDER:
                return self._compare(test, (left, right), branch, when)
        return test

    def _compare(self, test: ast.Compare, sides: tuple[ast.expr, ast.expr], branch: _Branch, when: bool) -> ast.expr:
        """As it is, unless exactly one side is the best so far."""
        is_best = [_holds(side, branch.assigned) for side in sides]
        if is_best[0] == is_best[1]:
            is_best = [bool(BEST.search(ast.unparse(side))) for side in sides]
        if is_best[0] == is_best[1] or isinstance(sides[is_best[0]], ast.Constant):
            return test
        holds, of_larger = ORDER[type(test.ops[0])]
        number = self._register(
            line=test.lineno,
            last=branch.last,
            metric=ast.unparse(sides[is_best[0]]),
            best=ast.unparse(sides[is_best[1]]),
            holds=holds,
            metric_first=is_best[1],
            larger=(of_larger == is_best[1]) == when,
            when=when,
            noted=_holds(sides[is_best[1]], branch.assigned),
            named=branch.named,
        )
        return call(BETTER, test, number, *sides)


def _end(branch: Sequence[ast.stmt]) -> int:
    return branch[-1].end_lineno or 0 if branch else 0


def _is_model(value: Any) -> bool:
    """Torch may not be imported yet, and is not needed to tell."""
    return any(kind.__module__ == "torch.nn.modules.module" for kind in type(value).__mro__)


def _renamed(branch: Sequence[ast.stmt], test: str) -> Iterator[str]:
    """`best_model = model`: the names on the right, where nothing is saved or copied beside them; not the number."""
    if _keeps(branch):
        return
    for line in branch:
        match line:
            case ast.Assign(targets=[target], value=ast.Name(id=name)) if BEST.search(ast.unparse(target)):
                if name not in test:
                    yield name


def _keeps(branch: Sequence[ast.stmt]) -> bool:
    """It saves or copies something, in a call or under such a name."""
    return any(
        isinstance(node, ast.Call) and KEEPS.search(ast.unparse(node.func))
        for line in branch
        for node in ast.walk(line)
    )


def _assigned(branch: Sequence[ast.stmt]) -> Iterator[str]:
    for line in branch:
        for node in ast.walk(line):
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
                yield ast.unparse(node)


def _holds(side: ast.expr, assigned: frozenset[str]) -> bool:
    return any(
        ast.unparse(node) in assigned
        for node in ast.walk(side)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    )
