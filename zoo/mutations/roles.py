"""Which names of a program stand for its models, optimizers, schedulers and losses.

A name has a role if it is ever bound to something that has: a constructor's result, a function that returns one, a
parameter that is given one. Roles belong to the last part of a name, in the whole program: `optimizer` for
`self.optimizer`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zoo.mutations.source import Source, dotted_name, inside, last_name

Origin = Callable[[ast.Call], bool]
_ROUNDS = 4
_PASSED_ON = {"to", "cpu", "float", "train", "eval", "double", "requires_grad_", "compile", "prepare", "apply"}
_WRAPPERS = {"DistributedDataParallel", "DDP", "compile", "prepare", "deepcopy", "DataParallel"}
_KINDS = {
    "CrossEntropyLoss": "cross-entropy",
    "cross_entropy": "cross-entropy",
    "BCEWithLogitsLoss": "binary",
    "binary_cross_entropy_with_logits": "binary",
    "BCELoss": "binary-probabilities",
    "binary_cross_entropy": "binary-probabilities",
    "NLLLoss": "likelihood",
    "nll_loss": "likelihood",
    "MSELoss": "squares",
    "mse_loss": "squares",
    "L1Loss": "absolute",
    "l1_loss": "absolute",
    "SmoothL1Loss": "huber",
    "smooth_l1_loss": "huber",
    "HuberLoss": "huber",
    "huber_loss": "huber",
    "KLDivLoss": "divergence",
    "kl_div": "divergence",
}


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of each role; losses by their kind."""

    models: frozenset[str]
    model_makers: frozenset[str]
    """The program's functions that return a model."""
    optimizers: frozenset[str]
    schedulers: frozenset[str]
    criteria: dict[str, str]


def roles_of(source: Source) -> Roles:
    """Read the roles of all names off a program."""
    criteria: dict[str, str] = {}
    for kind in set(_KINDS.values()):
        names, _ = _bound(source, lambda call, kind=kind: _kind_of(source, call.func) == kind)  # type: ignore[misc]
        criteria |= dict.fromkeys(names, kind)
    models, makers = _bound(source, lambda call: builds_model(source, call))
    return Roles(
        models=frozenset(models),
        model_makers=frozenset(makers),
        optimizers=frozenset(_bound(source, lambda call: builds_optimizer(source, call))[0]),
        schedulers=frozenset(_bound(source, lambda call: builds_scheduler(source, call))[0]),
        criteria=criteria,
    )


def loss_kind(source: Source, roles: Roles, call: ast.Call) -> str:
    """The kind of the loss a call computes, or nothing where it is none of torch's."""
    meaning = source.meaning(call.func)
    if meaning.startswith("torch.nn.functional."):
        return _KINDS.get(meaning.rsplit(".", 1)[1], "")
    if isinstance(call.func, ast.Call):
        return _kind_of(source, call.func.func)
    return roles.criteria.get(last_name(call.func), "") if len(call.args) + len(call.keywords) > 1 else ""


def is_module(source: Source, node: ast.ClassDef) -> bool:
    """Whether a class is a module of torch, of Lightning or of a class of the program that is one."""
    for base in node.bases:
        meaning = source.meaning(base)
        if meaning.rsplit(".", 1)[-1] in {"Module", "LightningModule"}:
            return True
        if last_name(base) in source.classes and is_module(source, source.classes[last_name(base)]):
            return True
    return False


def builds_optimizer(source: Source, call: ast.Call) -> bool:
    """Whether a call makes an optimizer of torch."""
    meaning = source.meaning(call.func)
    head, _, name = meaning.rpartition(".")
    return head in {"torch.optim", "optim"} and name[:1].isupper()


def builds_scheduler(source: Source, call: ast.Call) -> bool:
    """Whether a call makes a schedule of the learning rate."""
    meaning = source.meaning(call.func)
    return ".lr_scheduler." in meaning or (meaning.startswith("transformers.get_") and "schedule" in meaning)


def builds_model(source: Source, call: ast.Call) -> bool:
    """Whether a call makes a whole model: one that is not a part of another module."""
    around = source.owner(call)
    if around is not None and is_module(source, around) and not _is_lightning(source, around):
        return False
    meaning = source.meaning(call.func)
    if meaning == "torch.nn.Sequential":
        parent = source.parent(call)
        return isinstance(parent, ast.Assign | ast.Return)
    if meaning.startswith("transformers.") and ("For" in meaning or meaning.endswith("Model")):
        return True
    made = source.classes.get(last_name(call.func))
    return made is not None and is_module(source, made) and not is_loss_class(made)


def is_loss_class(node: ast.ClassDef) -> bool:
    """Whether a module is named after a loss."""
    return "loss" in node.name.lower() or "criterion" in node.name.lower()


def _is_lightning(source: Source, node: ast.ClassDef) -> bool:
    return any(last_name(base) == "LightningModule" for base in node.bases)


def _kind_of(source: Source, function: ast.AST) -> str:
    meaning = source.meaning(function)
    head, _, name = meaning.rpartition(".")
    return _KINDS.get(name, "") if head in {"torch.nn", "torch.nn.functional"} and name[:1].isupper() else ""


def _bound(source: Source, origin: Origin) -> tuple[set[str], set[str]]:
    """All names that are bound to what the origin makes, and all functions that return it."""
    names: set[str] = set()
    makers: set[str] = set()
    for _ in range(_ROUNDS):
        before = len(names) + len(makers)
        holds = _holder(origin, names, makers)
        for target, value in _bindings(source):
            if holds(value):
                names |= {last_name(target)} - {""}
        for function in source.walk(ast.FunctionDef):
            if any(item.value is not None and holds(item.value) for item in inside(function, ast.Return)):
                makers.add(function.name)
        if len(names) + len(makers) == before:
            break
    return names, makers


def _holder(origin: Origin, names: set[str], makers: set[str]) -> Callable[[ast.expr], bool]:
    def holds(value: ast.expr) -> bool:
        if isinstance(value, ast.Name | ast.Attribute):
            return last_name(value) in names
        if not isinstance(value, ast.Call):
            return False
        if origin(value) or (last_name(value.func) in makers - {"forward", "__init__", "__getitem__"}):
            return True
        if last_name(value.func) in _WRAPPERS and any(holds(item) for item in value.args):
            return True
        passes = isinstance(value.func, ast.Attribute) and value.func.attr in _PASSED_ON
        return passes and isinstance(value.func, ast.Attribute) and holds(value.func.value)

    return holds


def _bindings(source: Source) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Every name with what it is bound to: by assignment, or as the parameter of a function of the program."""
    for node in source.walk(ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    for annotated in source.walk(ast.AnnAssign):
        if annotated.value is not None:
            yield annotated.target, annotated.value
    for call in source.walk(ast.Call):
        yield from _parameters(source, call)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.AST, ast.expr]]:
    if not isinstance(target, ast.Tuple):
        yield target, value
    elif isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
        yield from zip(target.elts, value.elts, strict=True)
    elif isinstance(value, ast.Call) and last_name(value.func) == "prepare" and len(value.args) == len(target.elts):
        yield from zip(target.elts, value.args, strict=True)


def _parameters(source: Source, call: ast.Call) -> Iterator[tuple[ast.AST, ast.expr]]:
    name = last_name(call.func)
    made = source.classes.get(name)
    defined = source.functions.get(name, []) if made is None else [_maker(made)]
    for function in (item for item in defined if item is not None):
        parameters = [item.arg for item in function.args.args if item.arg not in {"self", "cls"}]
        for parameter, value in zip(parameters, call.args, strict=False):
            yield ast.Name(parameter), value
    for keyword in call.keywords:
        if keyword.arg and defined and dotted_name(call.func):
            yield ast.Name(keyword.arg), keyword.value


def _maker(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
