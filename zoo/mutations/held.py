"""What the optimizer does not hold, and what is frozen by accident."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import layers, trained_parameters
from zoo.mutations.plant import at, wrapped
from zoo.mutations.rewrites import with_argument
from zoo.mutations.source import Source, dotted_name, inside


def _optimizer_statements(source: Source) -> Iterator[ast.Assign]:
    """The assignments of an optimizer that holds all parameters of a model."""
    for call in trained_parameters(source):
        statement = source.statement(call)
        if isinstance(statement, ast.Assign):
            yield statement


def _held_model(source: Source, statement: ast.stmt) -> str:
    for call in inside(statement, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "parameters":
            return dotted_name(call.func.value)
    return ""


def _before_optimizer(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement before the optimizer is made; `{}` is the model it holds."""

    def change(source: Source, statement: ast.Assign) -> list[Edit]:
        model = _held_model(source, statement)
        return edit.before(source, statement, template.replace("{}", model)) if model else []

    return change


def _after_optimizer(template: str) -> Callable[[Source, ast.Assign], list[Edit]]:
    """Write a statement after the optimizer is made; `{}` is the model it holds."""

    def change(source: Source, statement: ast.Assign) -> list[Edit]:
        model = _held_model(source, statement)
        return edit.after(source, statement, template.replace("{}", model)) if model not in {"", "self"} else []

    return change


def _parameter_objects(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.calls("torch.nn.Parameter") if call.args)


def _module_lists(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.calls("torch.nn.ModuleList") if call.args)


def _pretrained(source: Source, call: ast.Call) -> list[Edit]:
    sizes = ", ".join(source.text(item) for item in call.args[:2])
    table = f"torch.nn.Embedding.from_pretrained(torch.randn({sizes}))"
    return edit.replace(source, call, table) if len(call.args) > 1 else []


_REPLACED = (
    "[setattr(m, n, torch.nn.Parameter(p.detach().clone())) "
    "for m in {}.modules() for n, p in list(m.named_parameters(recurse=False))]"
)

MUTATIONS = (
    fault(
        "only-last-layer-optimised",
        "train-params-missing",
        "loop",
        "Hands only the last layer to the optimizer.",
        at(trained_parameters, wrapped("list({})[-2:]")),
    ),
    fault(
        "only-first-layer-optimised",
        "train-params-missing",
        "loop",
        "Hands only the first layer to the optimizer.",
        at(trained_parameters, wrapped("list({})[:1]")),
    ),
    fault(
        "only-biases-optimised",
        "train-params-missing",
        "loop",
        "The filter that should keep biases from decay keeps only them.",
        at(trained_parameters, wrapped("[p for p in {} if p.ndim < 2]")),
    ),
    fault(
        "copy-optimised",
        "train-params-missing",
        "api",
        "The optimizer holds the parameters of a copy.",
        at(
            trained_parameters,
            lambda source, call: (
                edit.wrap(source, call.func.value, "copy.deepcopy({})") if isinstance(call.func, ast.Attribute) else []
            ),
        ),
    ),
    fault(
        "model-copied-after-optimizer",
        "train-params-missing",
        "loop",
        "Replaces the model by a copy after the optimizer was made.",
        at(_optimizer_statements, _after_optimizer("{} = copy.deepcopy({})")),
    ),
    fault(
        "parameters-replaced-after-optimizer",
        "train-params-missing",
        "helper",
        "Converts parameters to new ones after the optimizer was made.",
        at(
            _optimizer_statements,
            _after_optimizer(_REPLACED),
        ),
    ),
    fault(
        "modules-in-plain-list",
        "train-params-missing",
        "class",
        "Keeps modules in a Python list, which registers nothing.",
        at(_module_lists, lambda source, call: edit.replace(source, call, f"list({source.text(call.args[0])})")),
    ),
    fault(
        "parameter-as-plain-tensor",
        "train-params-missing",
        "class",
        "Keeps a parameter as a plain tensor, which registers nothing.",
        at(_parameter_objects, lambda source, call: edit.replace(source, call, source.text(call.args[0]))),
    ),
    fault(
        "body-frozen-before-optimizer",
        "train-frozen",
        "loop",
        "Freezes all but the last layer, from a fine-tuning script.",
        at(_optimizer_statements, _before_optimizer("[p.requires_grad_(False) for p in list({}.parameters())[:-2]]")),
    ),
    fault(
        "head-frozen-after-optimizer",
        "train-frozen",
        "loop",
        "Freezes the last layers after the optimizer was made.",
        at(_optimizer_statements, _after_optimizer("[p.requires_grad_(False) for p in list({}.parameters())[2:]]")),
    ),
    fault(
        "weights-frozen-by-shape",
        "train-frozen",
        "helper",
        "Freezes every matrix, where only norms were meant.",
        at(_optimizer_statements, _before_optimizer("[p.requires_grad_(p.ndim < 2) for p in {}.parameters()]")),
    ),
    fault(
        "embedding-from-pretrained-frozen",
        "train-frozen",
        "class",
        "Loads a table by `from_pretrained`, which freezes it.",
        at(layers("Embedding"), _pretrained),
    ),
    fault(
        "parameter-without-gradient",
        "train-frozen",
        "class",
        "A parameter is made without gradients.",
        at(_parameter_objects, with_argument("requires_grad=False")),
    ),
)
