"""The questions many mutations share, each giving the nodes a change is made at."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations.roles import is_module
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import Loss, training

_SINGLE = {
    "Linear",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "ConvTranspose1d",
    "Embedding",
    "EmbeddingBag",
    "Sequential",
}
_RECURRENT = {"LSTM", "GRU", "RNN", "MultiheadAttention", "LSTMCell"}
ACTIVATIONS = ("ReLU", "GELU", "Tanh", "SiLU", "ELU", "LeakyReLU", "Sigmoid", "Softplus")


def losses(*kinds: str) -> Callable[[Source], Iterator[Loss]]:
    """The calls of losses of these kinds in training."""
    return lambda source: (loss for loss in training(source).losses if loss.kind in kinds)


def predictions(*kinds: str) -> Callable[[Source], Iterator[ast.expr]]:
    """What is predicted, where it enters a loss of these kinds."""
    return lambda source: (loss.prediction for loss in losses(*kinds)(source))


def targets(*kinds: str) -> Callable[[Source], Iterator[ast.expr]]:
    """What is wanted, where it enters a loss of these kinds."""
    return lambda source: (loss.target for loss in losses(*kinds)(source))


def outputs(*kinds: str) -> Callable[[Source], Iterator[ast.expr]]:
    """What models return, in programs all of whose losses are of these kinds."""

    def find(source: Source) -> Iterator[ast.expr]:
        seen = {loss.kind for loss in training(source).losses}
        return iter(training(source).outputs if seen and seen <= set(kinds) else [])

    return find


def sequence_ends(*kinds: str) -> Callable[[Source], Iterator[ast.expr]]:
    """The last layers of whole models made by `nn.Sequential`, in programs all of whose losses are of these kinds."""

    def find(source: Source) -> Iterator[ast.expr]:
        seen = {loss.kind for loss in training(source).losses}
        for call in source.calls("torch.nn.Sequential"):
            owner = source.owner(call)
            whole = owner is None and isinstance(source.parent(call), ast.Assign | ast.Return)
            last = call.args[-1] if call.args else None
            if whole and seen and seen <= set(kinds) and isinstance(last, ast.Call) and last_name(last) == "Linear":
                yield last

    return find


def loss_values(source: Source) -> Iterator[ast.expr]:
    """The expressions whose value is minimised, where the backward pass starts."""
    return iter(training(source).loss_values)


def loss_assignments(source: Source) -> Iterator[ast.Assign]:
    """The assignments that give the loss of a training step its value."""
    view = training(source)
    names = {(source.function(value), last_name(value)) for value in view.loss_values}
    for item in source.walk(ast.Assign):
        if (source.function(item), last_name(item.targets[0])) in names and view.trains(item):
            yield item


def loss_expressions(source: Source) -> Iterator[ast.expr]:
    """The expressions a loss is made of: what is assigned to it, and what functions named after a loss return."""
    yield from (item.value for item in loss_assignments(source))
    yield from loss_returns(source)


def loss_returns(source: Source) -> Iterator[ast.expr]:
    """What the program's own functions and classes of losses return."""
    view = training(source)
    for item in source.walk(ast.Return):
        scope = source.scope(item).lower()
        named = any(word in scope for word in ("loss", "criterion", "nll", "elbo", "objective"))
        if named and item.value is not None and not isinstance(item.value, ast.Tuple | ast.Dict) and view.trains(item):
            yield item.value


def loss_terms(source: Source) -> Iterator[ast.expr]:
    """The terms of losses that are sums."""
    for value in loss_expressions(source):
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            yield from _terms(value)


def term_weights(source: Source) -> Iterator[ast.expr]:
    """The factors that weight the terms of a loss."""
    for term in loss_terms(source):
        if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
            factor = term.left
            if isinstance(factor, ast.Constant) or (
                isinstance(factor, ast.Name | ast.Attribute) and _is_weight(factor)
            ):
                yield factor


def layers(*names: str) -> Callable[[Source], Iterator[ast.Call]]:
    """The calls that make a layer of torch of these names."""
    return lambda source: source.calls(*(f"torch.nn.{name}" for name in names))


def parts(source: Source) -> dict[str, str]:
    """What each attribute of a module is made of: `{"conv1": "Conv2d"}`."""
    found: dict[str, str] = {}
    for item in source.walk(ast.Assign):
        owner = source.owner(item)
        if owner is not None and is_module(source, owner) and isinstance(item.value, ast.Call):
            found[last_name(item.targets[0])] = source.meaning(item.value.func).rsplit(".", 1)[-1]
    return found


def inner_layers(source: Source) -> Iterator[ast.Call]:
    """The calls of layers with parameters in forward whose result goes on into other layers."""
    made = parts(source)
    for function in training(source).forwards:
        for call in inside(function, ast.Call):
            if made.get(_own_layer(call)) in _SINGLE and not _is_last(source, function, call):
                yield call


def inner_assignments(source: Source) -> Iterator[ast.Assign]:
    """The statements of forward that assign one hidden value made by a layer, before the last statement."""
    made = parts(source)
    for function in training(source).forwards:
        for item in inside(function, ast.Assign):
            single = len(item.targets) == 1 and isinstance(item.targets[0], ast.Name)
            if (
                single
                and any(made.get(_own_layer(call)) in _SINGLE for call in inside(item.value, ast.Call))
                and not any(made.get(_own_layer(call)) in _RECURRENT for call in inside(item.value, ast.Call))
            ):
                yield item


def optimizer_arguments(name: str) -> Callable[[Source], Iterator[ast.expr]]:
    """The values given to optimizers for an argument."""

    def find(source: Source) -> Iterator[ast.expr]:
        for call in training(source).optimizers:
            value = argument(call, name, 1 if name == "lr" else None)
            if value is not None:
                yield value

    return find


def trained_parameters(source: Source) -> Iterator[ast.Call]:
    """`model.parameters()` where it is the first argument of an optimizer."""
    for call in training(source).optimizers:
        given = call.args[0] if call.args else argument(call, "params")
        if isinstance(given, ast.Call) and last_name(given) == "parameters":
            yield given


def has_part(source: Source, *names: str) -> bool:
    """Whether a program makes a layer of one of these names."""
    return any(source.meaning(call.func).rsplit(".", 1)[-1] in names for call in source.walk(ast.Call))


def _own_layer(call: ast.Call) -> str:
    holder = call.func
    own = isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Name) and holder.value.id == "self"
    return last_name(holder) if own else ""


def _is_last(source: Source, function: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether nothing but cosmetics happens to a value between here and the end of forward."""
    statement = source.statement(call)
    if not isinstance(statement, ast.Return):
        return False
    outer = [item for item in source.above(call) if isinstance(item, ast.Call) and _own_layer(item)]
    return not [item for item in outer if source.function(item) is function]


def _terms(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from _terms(value.left)
        yield from _terms(value.right)
    else:
        yield value


def _is_weight(node: ast.expr) -> bool:
    name = last_name(node).lower()
    return any(word in name for word in ("weight", "lam", "alpha", "beta", "coef", "w_", "_w", "gamma", "mu"))


def activations(source: Source) -> Iterator[ast.Call]:
    """The calls that make an activation layer."""
    return layers(*ACTIVATIONS)(source)


def activation_calls(source: Source) -> Iterator[ast.Call]:
    """The calls of an activation function in forward."""
    for function in training(source).forwards:
        for call in inside(function, ast.Call):
            if source.meaning(call.func) in _activation_names():
                yield call


def _activation_names() -> set[str]:
    names = ("relu", "gelu", "tanh", "silu", "elu", "leaky_relu")
    return {f"{module}.{name}" for module in ("torch", "torch.nn.functional") for name in names}


def residuals(source: Source) -> Iterator[ast.BinOp]:
    """`x + block(x)` in forward."""
    made = parts(source)
    for function in training(source).forwards:
        for node in inside(function, ast.BinOp):
            added = any(last_name(call) in made for call in inside(node.right, ast.Call))
            if isinstance(node.op, ast.Add) and isinstance(node.left, ast.Name) and added:
                yield node


def optimizer_steps(source: Source) -> Iterator[ast.Expr]:
    """The statements that step an optimizer."""
    return iter(training(source).steps)
