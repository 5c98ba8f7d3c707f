"""What decides on a line that a rehearsal came to: could a round that was left out have decided otherwise?

    for epoch in range(30):
        freeze(body, epoch < 240)       the first round and the last one decide alike, and so does each between them
        freeze(body, step < 240)        `step` was counted up in fewer rounds than are planned: nobody knows

The lines that are running are read from the innermost outwards: what each says, and the tests around it.
"""

import ast
import functools
import linecache
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Way = tuple[tuple[str, int], ...]
"""Lines that are running, the innermost first."""
Reached = Callable[[str, int], bool | None]
"""Whether the loop whose body begins on a line of a file came to its last round; None where no round was left out."""
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
WRITES = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.With)


@dataclass(frozen=True)
class Decision:
    """The same in every round."""

    place: tuple[str, int]
    test: str = ""
    """The comparison with what a loop counts, in the program's own words; empty where there is none."""


def decided(way: Way, reached: Reached) -> Decision | None:
    """None where rounds that were left out may decide otherwise."""
    changing = frozenset(name for file, _ in way for name in _counted(file) if "." in name)
    found: list[Decision] = []
    counts = False
    for file, line in way:
        frame = _Frame(_down_to(_tree(file), line), functools.partial(reached, file))
        if not frame.is_settled(changing | {name for name in _counted(file) if "." not in name}):
            return None
        found += [Decision((file, line), test) for test in frame.tests()]
        counts = counts or frame.counts
    if len(found) > 1:  # they may hold together in the middle only
        return None
    return found[0] if found and counts else Decision(way[0])


class _Frame:
    """One line that is running, from the function it is in down to the statement."""

    def __init__(self, path: list[ast.AST], reached: Callable[[int], bool | None]) -> None:
        inner = max((place for place, node in enumerate(path) if isinstance(node, FUNCTIONS)), default=-1)
        within = path[inner + 1 :]
        given = {one.arg for one in ast.walk(path[inner]) if isinstance(one, ast.arg)} if inner >= 0 else set()
        self._given = given - {"self", "cls"}
        loops = [node for node in within if isinstance(node, ast.For | ast.AsyncFor)]
        came = [(reached(loop.body[0].lineno), set(_names(loop.target))) for loop in loops]
        self._lost = {name for last, names in came if last is False for name in names}
        self._loops = {name for last, names in came if last for name in names}
        tests = [node.test for node in within if isinstance(node, ast.If | ast.While | ast.IfExp)]
        last = next((node for node in reversed(within) if isinstance(node, ast.stmt)), None)
        self._read = [*tests, *([last] if last is not None and not hasattr(last, "body") else [])]

    @property
    def counts(self) -> bool:
        """It reads what a loop counts."""
        return any(set(_names(node)) & self._loops for node in self._read)

    def is_settled(self, changing: Iterable[str]) -> bool:
        """Nothing that it reads is counted up by hand, and what a loop counts is only held against one bound."""
        names = {name for node in self._read for name in _names(node)}
        return not names & (set(changing) - self._loops | self._lost) and not any(map(self._is_odd, self._nodes()))

    def _is_odd(self, node: ast.AST) -> bool:
        """Other rounds than the first and the last may come out otherwise."""
        match node:
            case ast.Compare(ops=[op]) if isinstance(op, ORDER):
                return False
            case ast.Compare() | ast.BinOp(op=ast.Mod()) | ast.Call(func=ast.Attribute(attr="get")):
                return self._rests(node)
            case ast.Subscript(slice=index):
                return self._rests(index)
        return False

    def tests(self) -> Iterator[str]:
        for node in self._nodes():
            if isinstance(node, ast.Compare) and self._rests(node):
                yield ast.unparse(node)

    def _rests(self, node: ast.AST) -> bool:
        """It rests on what a loop counts, or on what the function was given, which may be that."""
        return bool(set(_names(node)) & (self._loops | self._given))

    def _nodes(self) -> Iterator[ast.AST]:
        return (node for read in self._read for node in ast.walk(read))


@functools.cache
def _tree(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ast.Module([], [])


def _down_to(tree: ast.AST, line: int) -> list[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or 0):
            return [node, *_down_to(node, line)]
    return []


@functools.cache
def _counted(file: str) -> frozenset[str]:
    """Names and attributes that are written to in a loop, or added to anywhere; attributes by their last name."""
    tree = _tree(file)
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    inside = (node for loop in loops for node in ast.walk(loop) if isinstance(node, WRITES))
    added = (node for node in ast.walk(tree) if isinstance(node, ast.AugAssign))
    return frozenset(name for node in (*inside, *added) for name in _written(node))


def _written(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
            yield part.id if isinstance(part, ast.Name) else f".{part.attr}"


def _names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
            yield f".{part.attr}"


def switches(files: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Lines that may freeze or thaw something, the first and the last of each statement."""
    for file in files:
        for node in ast.walk(_tree(file)):
            match node:
                case (
                    ast.Attribute(attr="requires_grad", ctx=ast.Store())
                    | ast.Call(func=ast.Attribute(attr="requires_grad_" | "unfreeze" | "thaw"))
                ):
                    yield file, node.lineno, node.end_lineno or node.lineno
