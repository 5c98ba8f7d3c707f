"""Source to code, with every loop counted. Lines and columns stay where they are, so tracebacks tell the user's own.

    for batch in loader:            for batch in __firstlight_rounds__(7, loader):
        if step % 100 == 0:             if __firstlight_due__(7, 0, step % 100 == 0):
    while step < total:             _firstlight_8 = __firstlight_while__(8)
                                    while step < total and _firstlight_8.again():

Loops that `yield` feed another loop and are left alone: whoever reads them ends them.
"""

import ast
from collections.abc import Callable, Iterator, Sequence, Set

ROUNDS, WHILE, DUE = "__firstlight_rounds__", "__firstlight_while__", "__firstlight_due__"
Register = Callable[[int, int, bool], int]
"""Takes the first and the last line of a loop's body and whether it may be left from within; gives it its number."""
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def rewritten(tree: ast.Module, register: Register) -> ast.Module:
    found: ast.Module = _Counted(register).visit(tree)
    return ast.fix_missing_locations(found)


class _Counted(ast.NodeTransformer):
    def __init__(self, register: Register) -> None:
        self._register = register
        self._within: list[int | None] = [None]
        """The innermost loop of the function that is read, by its number."""
        self._tests = 0

    def visit_For(self, node: ast.For) -> ast.AST:
        if _feeds(node.body):
            return self._aside(node)
        number = self._number(node)
        self._inside(number, node)
        node.iter = call(ROUNDS, node.iter, number, node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.AST]:
        if _feeds(node.body):
            return self._aside(node)
        number = self._number(node)
        self._inside(number, node)
        name = f"_firstlight_{number}"
        again = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "again", ast.Load()), [], [])
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [node.test, again]), node.test)
        begin = ast.Assign([ast.Name(name, ast.Store())], call(WHILE, node, number))
        return [ast.copy_location(begin, node), node]

    def _number(self, node: ast.For | ast.While) -> int:
        return self._register(node.body[0].lineno, node.body[-1].end_lineno or node.lineno, _may_be_left(node.body))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._comprehension(node)

    def _comprehension(self, node: ast.ListComp | ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        first = node.generators[0]
        if not first.is_async:
            number = self._register(node.lineno, node.end_lineno or node.lineno, False)
            first.iter = call(ROUNDS, first.iter, number, first.iter)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """`if step % 100 == 0`: a shortened loop may never come to it by itself."""
        self.generic_visit(node)
        number = self._within[-1]
        if number is not None and _is_periodic(node.test):
            node.test = self._due(node.test, number)
        return node

    def _due(self, test: ast.expr, number: int, counters: Set[str] = frozenset()) -> ast.expr:
        """When something is done is made to come; whether it is done at all stays the program's own decision, as in
        `if args.plot and epoch > 2 and epoch % 5 == 0`."""
        if isinstance(test, ast.BoolOp):
            counters = _remainders_of(test) if isinstance(test.op, ast.And) else frozenset()
            test.values = [self._due(value, number, counters) for value in test.values]
            return test
        if not _is_periodic(test) and counters.isdisjoint(_names(test)):
            return test
        self._tests += 1
        return call(DUE, test, number, self._tests - 1, test)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if any(map(compiles, node.decorator_list)) else self._aside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._aside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._aside(node)

    def _aside(self, node: ast.AST) -> ast.AST:
        """What lies within is not a part of the loop around it, as far as that is counted."""
        return self._inside(None, node)

    def _inside(self, number: int | None, node: ast.AST) -> ast.AST:
        self._within.append(number)
        self.generic_visit(node)
        self._within.pop()
        return node


def call(name: str, place: ast.AST, *arguments: ast.expr | int) -> ast.Call:
    given = [ast.Constant(one) if isinstance(one, int) else one for one in arguments]
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), given, []), place)


def compiles(decorator: ast.expr) -> bool:
    """`numba.njit` and its like read the code of a function, and know nothing of what is called in ours."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name.endswith(COMPILERS)


COMPILERS = ("jit", "vectorize", "stencil")


def _feeds(body: Sequence[ast.AST]) -> bool:
    """It gives something to another loop, now and then, and waits in between."""
    return any(
        isinstance(node, ast.Yield | ast.YieldFrom)
        or (not isinstance(node, SCOPES) and _feeds(list(ast.iter_child_nodes(node))))
        for node in body
    )


def _may_be_left(body: Sequence[ast.AST], within: bool = False) -> bool:
    """By `return`, or by a `break` that is not of a loop within."""
    for node in body:
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break) and not within):
            return True
        deeper = within or isinstance(node, ast.For | ast.While | ast.AsyncFor)
        if not isinstance(node, SCOPES) and _may_be_left(list(ast.iter_child_nodes(node)), deeper):
            return True
    return False


def _is_periodic(test: ast.expr) -> bool:
    return any(map(_is_remainder, ast.walk(test)))


def _is_remainder(node: ast.AST) -> bool:
    """Not the formatting of a string, which is written alike."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, ast.JoinedStr)
        and not (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str | bytes))
    )


def _remainders_of(test: ast.expr) -> set[str]:
    """What is counted in it: `epoch` in `(epoch + 1) % 5`."""
    found = (node for node in ast.walk(test) if isinstance(node, ast.BinOp) and _is_remainder(node))
    return {name for node in found for name in _names(node.left)}


def _names(node: ast.AST) -> Iterator[str]:
    """Names that are read, with what they belong to: `self.step` is not `self`."""
    if isinstance(node, ast.Name | ast.Attribute):
        yield ast.unparse(node)
        return
    for below in ast.iter_child_nodes(node):
        yield from _names(below)
