"""Targets of reinforcement learning as they are written: a reward, and the discounted value of what comes next."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any

from firstlight.records.source import Bootstrap, SourceFile
from firstlight.records.syntax import CUTTING, LIBRARIES, SCOPES, own

DISCOUNT = re.compile(r"gamma|discount", re.IGNORECASE)
REWARD = re.compile(r"^rs?$|^r_?[bt]$|rew", re.IGNORECASE)
END = re.compile(r"done|termin|alive|mask|final|absorb|contin|trunc|live|(?:^|_)ends?$|^d$|^not_d$", re.IGNORECASE)
STORED_END = re.compile(r"^(?:is_|_)?(?:dones?|d|term|terminals?|terminated|finished|over)(?:_b|_batch)?$")
NEXT = re.compile(r"next|nxt|^(?:s|obs|state|x|ns)_?(?:2|p|n|prime|1)s?$|^n_?(?:s|obs|state)s?$|_$", re.IGNORECASE)
OLD = re.compile(r"target|tgt|old|frozen|ema|prev|delayed|slow|avg", re.IGNORECASE)
STORING = frozenset({"append", "push", "add", "store", "put", "save", "record", "remember"})
BUILTINS = frozenset(dir(builtins))


def bootstraps(source: SourceFile) -> Iterator[Bootstrap]:
    if not source.says(DISCOUNT):
        return
    stored = _ends_are_stored(source)
    for function in source.nodes(*SCOPES):
        body = _Body(function)
        for node in body.nodes:
            found = _bootstrap(node, body)
            if found is not None:
                yield _described(source, body, node, found, stored)


def _described(source: SourceFile, body: "_Body", node: ast.BinOp, network: ast.Call, stored: bool) -> Bootstrap:
    return Bootstrap(
        spot=source.spot(node),
        network=ast.unparse(network.func),
        given=ast.unparse(network.args[0]),
        instead_of=_instead_of(body, network),
        ends_stored=stored or body.stores(STORED_END),
        ends_used=body.uses(END) or body.uses(STORED_END),
        carries_gradient=_carries_gradient(body, node, network),
    )


class _Body:
    """What a function does itself, without the functions defined in it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.nodes = list(own(function))
        self.quiet = {id(inner) for node in self.nodes if _is_quiet(node) for inner in ast.walk(node)}
        if any(CUTTING.search(ast.unparse(mark)) for mark in getattr(function, "decorator_list", ())):
            self.quiet = {id(node) for node in self.nodes}

    def assigned(self, name: str) -> list[ast.Assign]:
        return [
            node
            for node in self.nodes
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
        ]

    def stores(self, pattern: re.Pattern[str]) -> bool:
        """A name of this kind is taken out of something that holds several."""
        return any(
            isinstance(node, ast.Tuple | ast.List)
            and isinstance(node.ctx, ast.Store)
            and any(isinstance(item, ast.Name) and pattern.search(item.id) for item in node.elts)
            for node in self.nodes
        )

    def uses(self, pattern: re.Pattern[str]) -> bool:
        """Read for anything but to make another of the same kind of it (`done = torch.tensor(done)`)."""
        renamed = {
            id(inner)
            for node in self.nodes
            if isinstance(node, ast.Assign) and all(pattern.search(_name(target)) for target in node.targets)
            for inner in ast.walk(node.value)
        }
        return any(
            id(node) not in renamed and not isinstance(getattr(node, "ctx", None), ast.Store) and pattern.search(word)
            for node in self.nodes
            if (word := _name(node))
        )


def _is_quiet(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(
        re.search(r"no_grad|inference_mode", ast.unparse(item.context_expr)) for item in node.items
    )


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _bootstrap(node: ast.AST, body: _Body) -> ast.Call | None:
    """The call of a network in `reward + discount * network(next)`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    for reward, product in ((node.left, node.right), (node.right, node.left)):
        factors = list(_factors(product))
        if len(factors) < 2 or not any(DISCOUNT.search(_last(factor)) for factor in factors):
            continue
        if not any(REWARD.search(_name(inner)) for inner in ast.walk(reward)):
            continue
        values = [factor for factor in factors if not DISCOUNT.search(_last(factor))]
        return next((call for value in values if (call := _network(value, body)) is not None), None)
    return None


def _factors(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Add):
        yield from _factors(node.left)
    else:
        yield node


def _last(node: ast.AST) -> str:
    return _name(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _network(value: ast.AST, body: _Body, deep: bool = True) -> ast.Call | None:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and node.args and _may_be_network(node.func):
            return node
    if deep and isinstance(value, ast.Name) and (made := body.assigned(value.id)):
        return _network(made[-1].value, body, deep=False)
    return None


def _may_be_network(func: ast.AST) -> bool:
    if isinstance(func, ast.Name):
        return func.id not in BUILTINS
    return isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id not in LIBRARIES


def _instead_of(body: _Body, network: ast.Call) -> str:
    """The next state in the batch, where the network is asked about the very state that a prediction is made for."""
    given = network.args[0]
    if not isinstance(given, ast.Name) or NEXT.search(given.id) or len(_stored(body, given.id)) > 1:
        return ""
    asked = [call for call in _calls(body) if call is not network and call.args and _may_be_network(call.func)]
    if not any(_name(call.args[0]) == given.id and id(call) not in body.quiet for call in asked):
        return ""
    names = [item.id for item in body.nodes if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)]
    names += [item.arg for item in ast.walk(body.function) if isinstance(item, ast.arg)]
    return next((name for name in names if NEXT.search(name)), "")


def _stored(body: _Body, name: str) -> list[ast.Name]:
    return [n for n in body.nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]


def _carries_gradient(body: _Body, node: ast.BinOp, network: ast.Call) -> bool:
    """The same network is trained in this function, and nothing cuts what it says of the next state."""
    func = ast.unparse(network.func)
    if OLD.search(func) or id(node) in body.quiet or id(network) in body.quiet:
        return False
    made = next(
        (a for a in body.nodes if isinstance(a, ast.Assign) and any(n is node for n in ast.walk(a.value))), None
    )
    if made is None or not isinstance(made.targets[0], ast.Name):
        return False
    name = made.targets[0].id
    text = ast.unparse(body.function)
    if CUTTING.search(ast.unparse(made)) or re.search(rf"\b{name}\.(?:detach|item|data)\b", text):
        return False
    others = [call for call in _calls(body) if call is not network and ast.unparse(call.func) == func]
    return ".backward(" in text and any(id(call) not in body.quiet for call in others)


def _calls(body: _Body) -> list[ast.Call]:
    return [node for node in body.nodes if isinstance(node, ast.Call)]


def _ends_are_stored(source: SourceFile) -> bool:
    for call in source.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in STORING:
            names = [n for arg in call.args for n in ast.walk(arg) if isinstance(n, ast.Name)]
            if len(names) > 2 and any(STORED_END.search(name.id) for name in names):
                return True
        if ast.unparse(call.func).endswith("namedtuple") and re.search(r"\b(?:done|terminal)\b", ast.unparse(call)):
            return True
    return any(
        STORED_END.search(_name(field.target)) for field in source.nodes(ast.AnnAssign) if len(_name(field.target)) > 1
    )
