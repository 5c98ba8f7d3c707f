"""Where a program trains: its loops, losses, batches, models and optimizers, whatever they are called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from zoo.mutations.names import named_pair
from zoo.mutations.roles import (
    builds_model,
    builds_optimizer,
    builds_scheduler,
    is_loss_class,
    is_module,
    loss_kind,
    roles_of,
)
from zoo.mutations.source import Function, Loop, Source, inside, last_name

_STEP_FUNCTIONS = {"training_step", "compute_loss"}


@dataclass(frozen=True, slots=True)
class Loss:
    """The call of a loss: what was predicted meets what was wanted."""

    node: ast.Call
    prediction: ast.expr
    target: ast.expr
    kind: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A loss written by hand: the difference of two expressions, which is squared or made positive."""

    node: ast.BinOp
    prediction: ast.expr
    target: ast.expr


@dataclass(frozen=True, slots=True)
class Batch:
    """The statement or loop after which a training batch has names."""

    node: ast.stmt
    inputs: str
    target: str
    start_of: Loop | None
    """The loop that names it at the beginning of each round; None for a statement."""


class Training:
    """The answers to the questions mutations ask, each worked out once for a program."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.roles = roles_of(source)

    @cached_property
    def backwards(self) -> list[ast.Call]:
        """The calls that start a backward pass."""
        calls = list(self.source.methods("backward", "manual_backward"))
        return calls or list(self.source.calls("torch.autograd.grad"))

    @cached_property
    def loss_values(self) -> list[ast.expr]:
        """The expressions whose value is minimised."""
        found: list[ast.expr] = []
        for call in self.backwards:
            holder = call.func.value if isinstance(call.func, ast.Attribute) else None
            if call.args:
                found.append(call.args[0])
            elif isinstance(holder, ast.Call) and last_name(holder) == "scale":
                found.append(holder.args[0])
            elif holder is not None:
                found.append(holder)
        for name in _STEP_FUNCTIONS:
            for function in self.source.functions.get(name, []):
                found += [item.value for item in inside(function, ast.Return) if isinstance(item.value, ast.Name)]
        return found

    @cached_property
    def loops(self) -> list[Loop]:
        """The innermost loops that train."""
        found: list[Loop] = []
        for place in [*self.backwards, *self._callers(self._steppers)]:
            loop = self.source.loop(place)
            if loop is not None and loop not in found:
                found.append(loop)
        return found

    @cached_property
    def regions(self) -> list[ast.AST]:
        """The loops that train and the functions that make one step."""
        return [*self.loops, *self._steppers]

    @cached_property
    def _steppers(self) -> list[Function]:
        """Functions that hold a backward pass and no loop around it, with those that call them outside loops."""
        around = [self.source.function(call) for call in self.backwards if self.source.loop(call) is None]
        found = [item for item in around if item is not None]
        for name in _STEP_FUNCTIONS:
            found += self.source.functions.get(name, [])
        for call in self._callers(found):
            outer = self.source.function(call)
            if self.source.loop(call) is None and outer is not None and getattr(outer, "name", "main") != "main":
                found.append(outer)
        return list(dict.fromkeys(found))

    def _callers(self, functions: Iterable[Function]) -> list[ast.AST]:
        names = {item.name for item in functions if isinstance(item, ast.FunctionDef)}
        return [
            node
            for node in self.source.walk(ast.expr)
            if isinstance(node, ast.Name | ast.Attribute)
            and last_name(node) in names
            and isinstance(node.ctx, ast.Load)
        ]

    @cached_property
    def reached(self) -> set[Function]:
        """The functions that training calls, directly or not."""
        found: set[Function] = set()
        todo: list[ast.AST] = list(self.regions)
        while todo:
            for name in _mentioned(todo.pop()):
                made = self.source.classes.get(name)
                methods = [item for item in made.body if isinstance(item, ast.FunctionDef)] if made else []
                for function in [*self.source.functions.get(name, []), *methods]:
                    if function not in found:
                        found.add(function)
                        todo.append(function)
        return found | set(self.forwards)

    def trains(self, node: ast.AST) -> bool:
        """Whether a node is run by training, with gradients."""
        around = list(self.source.above(node))
        if any(_without_gradients(self.source, item) for item in around):
            return False
        return any(item in self.regions or item in self.reached for item in around)

    @cached_property
    def steps(self) -> list[ast.Expr]:
        """The statements that step an optimizer."""
        return [
            item
            for item in self._statements("step")
            if self._receiver(item) in self.roles.optimizers or self._through_scaler(item) == "step"
        ]

    def _through_scaler(self, statement: ast.Expr) -> str:
        call = statement.value
        given = isinstance(call, ast.Call) and call.args and last_name(call.args[0]) in self.roles.optimizers
        return last_name(call) if given else ""

    @cached_property
    def clearings(self) -> list[ast.Expr]:
        """The statements that clear gradients in a training step."""
        return [item for item in self._statements("zero_grad") if self.trains(item)]

    @cached_property
    def schedule_steps(self) -> list[ast.Expr]:
        """The statements that move the learning rate's schedule on."""
        return [item for item in self._statements("step") if self._receiver(item) in self.roles.schedulers]

    def _statements(self, method: str) -> Iterator[ast.Expr]:
        for call in self.source.methods(method):
            parent = self.source.parent(call)
            if isinstance(parent, ast.Expr):
                yield parent

    def _receiver(self, statement: ast.Expr) -> str:
        call = statement.value
        return last_name(call.func.value) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""

    @cached_property
    def losses(self) -> list[Loss]:
        """The calls of torch's losses in training."""
        found = []
        for call in self.source.walk(ast.Call):
            kind = loss_kind(self.source, self.roles, call)
            if kind and len(call.args) >= 2 and self.trains(call):
                found.append(Loss(call, call.args[0], call.args[1], kind))
        return found

    @cached_property
    def differences(self) -> list[Difference]:
        """The losses written by hand as a difference, squared or made positive, in training."""
        found = []
        for node in self.source.walk(ast.BinOp):
            parent = self.source.parent(node)
            squared = isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.left is node
            positive = isinstance(parent, ast.Attribute) and parent.attr in {"pow", "abs", "square"}
            if isinstance(node.op, ast.Sub) and (squared or positive) and self.trains(node):
                found.append(Difference(node, node.left, node.right))
        return found

    @cached_property
    def optimizers(self) -> list[ast.Call]:
        """The calls that make an optimizer."""
        return [call for call in self.source.walk(ast.Call) if builds_optimizer(self.source, call)]

    @cached_property
    def schedulers(self) -> list[ast.Call]:
        """The calls that make a schedule of the learning rate."""
        return [call for call in self.source.walk(ast.Call) if builds_scheduler(self.source, call)]

    @cached_property
    def made_models(self) -> list[ast.Assign]:
        """The assignments of a newly made model."""
        return [
            item
            for item in self.source.walk(ast.Assign)
            if len(item.targets) == 1
            and isinstance(item.value, ast.Call)
            and any(self._builds(call) for call in inside(item.value, ast.Call))
            and last_name(item.targets[0]) in self.roles.models
        ]

    def _builds(self, call: ast.Call) -> bool:
        return builds_model(self.source, call) or last_name(call.func) in self.roles.model_makers - {"forward"}

    @cached_property
    def model_calls(self) -> list[ast.Call]:
        """The calls of a model in training."""
        return [
            call
            for call in self.source.walk(ast.Call)
            if isinstance(call.func, ast.Name | ast.Attribute)
            and last_name(call.func) in self.roles.models
            and last_name(call.func) not in self.source.functions
            and self.trains(call)
        ]

    @cached_property
    def forwards(self) -> list[ast.FunctionDef]:
        """The forward methods of modules that are no losses."""
        found = []
        for function in self.source.functions.get("forward", []):
            owner = self.source.owner(function)
            if owner is not None and is_module(self.source, owner) and not is_loss_class(owner):
                found.append(function)
        return found

    @cached_property
    def outputs(self) -> list[ast.expr]:
        """What the forward methods of whole models return, where it is one thing."""
        made = {last_name(call.func) for call in self.source.walk(ast.Call) if builds_model(self.source, call)}
        found = []
        for function in self.forwards:
            owner = self.source.owner(function)
            for item in inside(function, ast.Return):
                if owner and owner.name in made and item.value and not isinstance(item.value, ast.Tuple | ast.Dict):
                    found.append(item.value)
        return found

    @cached_property
    def batches(self) -> list[Batch]:
        """Where a training batch gets its names."""
        found: list[Batch] = []
        for loop in self.loops:
            if isinstance(loop, ast.For):
                names = named_pair(loop.target)
                found += [Batch(loop, *names, start_of=loop)] if names else []
        for item in self.source.walk(ast.Assign):
            names = named_pair(item.targets[0])
            if names and self.trains(item) and self.source.owner(item) not in map(self.source.owner, self.forwards):
                found.append(Batch(item, *names, start_of=None))
        return found


@lru_cache(maxsize=256)
def training(source: Source) -> Training:
    """The training of a program, worked out once."""
    return Training(source)


def _mentioned(node: ast.AST) -> Iterator[str]:
    """The names a piece of code uses, besides those of functions it defines."""
    for item in inside(node, ast.AST):
        if isinstance(item, ast.Name | ast.Attribute) and isinstance(item.ctx, ast.Load):
            yield last_name(item)


def _without_gradients(source: Source, node: ast.AST) -> bool:
    """Whether a block or function runs without gradients, or is about evaluation by its name."""
    if isinstance(node, ast.With):
        marks: list[ast.expr] = [item.context_expr for item in node.items]
    elif isinstance(node, ast.FunctionDef):
        marks = node.decorator_list
        if re.match(r"^_?(eval|valid|test|accuracy|score)", node.name):
            return True
    else:
        return False
    return any(last_name(mark) in {"no_grad", "inference_mode"} for mark in marks)
