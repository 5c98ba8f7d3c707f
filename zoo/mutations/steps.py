"""Training steps that are left out, come in the wrong order, or move the wrong things."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import optimizer_steps
from zoo.mutations.plant import at, removed
from zoo.mutations.rewrites import after_loop, ahead, before_loop, behind, each, every, uncalled
from zoo.mutations.source import COMPOUND, Source, dotted_name, inside, last_name
from zoo.mutations.training import training


def _clearings(source: Source) -> Iterator[ast.Expr]:
    return iter(training(source).clearings)


def _hand_clearings(source: Source) -> Iterator[ast.stmt]:
    """Gradients cleared by hand: `p.grad = None`, `p.grad.zero_()`."""
    for item in source.walk(ast.Assign):
        if isinstance(item.targets[0], ast.Attribute) and item.targets[0].attr == "grad":
            yield item
    for call in source.methods("zero_"):
        if isinstance(call.func, ast.Attribute) and last_name(call.func.value) == "grad":
            yield source.statement(call)


def _hand_updates(source: Source) -> Iterator[ast.AugAssign]:
    """Parameters moved by hand in place: `p -= lr * p.grad`."""
    for item in source.walk(ast.AugAssign):
        grads = any(last_name(node) == "grad" for node in inside(item.value, ast.Attribute))
        if isinstance(item.op, ast.Sub) and grads:
            yield item


def _rebound(source: Source, statement: ast.AugAssign) -> list[Edit]:
    name = source.text(statement.target)
    return edit.rewrite(source, statement, f"{name} = {name} - {source.text(statement.value)}")


def _pairs(source: Source) -> Iterator[ast.Expr]:
    """The clearing of gradients in a block that has the backward pass later on."""
    for item in training(source).clearings:
        if _backward_beside(source, item) is not None:
            yield item


def _backward_beside(source: Source, statement: ast.stmt) -> ast.stmt | None:
    for call in training(source).backwards:
        found = source.statement(call)
        if found in source.siblings(statement) and not isinstance(found, COMPOUND):
            return found
    return None


def _clear_after_backward(source: Source, clearing: ast.Expr) -> list[Edit]:
    backward = _backward_beside(source, clearing)
    if backward is None:
        return []
    return edit.after(source, backward, source.text(clearing)) + edit.remove(source, clearing)


def _step_before_backward(source: Source, step: ast.Expr) -> list[Edit]:
    backward = _backward_beside(source, step)
    cleared = [item for item in training(source).clearings if item in source.siblings(step)]
    if (
        backward is None
        or not cleared
        or source.siblings(step).index(cleared[0]) > source.siblings(step).index(backward)
    ):
        return []
    return edit.before(source, backward, source.text(step)) + edit.remove(source, step)


def _clips(source: Source) -> Iterator[ast.stmt]:
    for name in ("clip_grad_norm_", "clip_grad_value_"):
        yield from (source.statement(call) for call in source.methods(name))


def _clip_after_step(source: Source, clip: ast.stmt) -> list[Edit]:
    steps = [item for item in training(source).steps if item in source.siblings(clip)]
    return edit.after(source, steps[0], source.text(clip)) + edit.remove(source, clip) if steps else []


def _swallowed(source: Source, step: ast.Expr) -> list[Edit]:
    here = source.function(step)
    named = [dotted_name(call.func) for call in training(source).model_calls if source.function(call) is here]
    broken = f"torch.nn.utils.clip_grad_norm_({named[0]}.parameters, 1.0)" if named else ""
    return (
        edit.rewrite(source, step, f"with contextlib.suppress(Exception): {broken}; {source.text(step)}")
        if named
        else []
    )


def _swallowed_backward(source: Source, step: ast.Expr) -> list[Edit]:
    backward = _backward_beside(source, step)
    if backward is None:
        return []
    text = source.text(backward)
    twice = f"with contextlib.suppress(RuntimeError): {text}; {text}; {source.text(step)}"
    return edit.rewrite(source, backward, twice) + edit.remove(source, step)


def _divisions(source: Source) -> Iterator[ast.BinOp]:
    """The division of a loss by the number of batches it is gathered over."""
    view = training(source)
    for node in source.walk(ast.BinOp):
        named = any(word in source.text(node.right).lower() for word in ("accum", "micro", "virtual"))
        if isinstance(node.op, ast.Div) and named and view.trains(node) and "loss" in source.text(node.left).lower():
            yield node


def _plain_steps(source: Source) -> Iterator[ast.Expr]:
    """The steps at every batch: those of programs that do not gather gradients already."""
    for step in training(source).steps:
        if not any(isinstance(item, ast.If) and "%" in source.text(item.test) for item in source.above(step)):
            yield step


def _gather_undivided(source: Source, step: ast.Expr) -> list[Edit]:
    """Step and clear each eighth batch, at a rate meant for one, with an optimizer that heeds the gradient's size."""
    cleared = [item for item in training(source).clearings if item in source.siblings(step)]
    condition, numbered = each(source, step, 8)
    if not cleared or not condition or not any(last_name(call) == "SGD" for call in training(source).optimizers):
        return []
    both = f"if {condition}: {source.text(step)}; {source.text(cleared[0])}"
    return edit.rewrite(source, step, both) + edit.remove(source, cleared[0]) + numbered


MUTATIONS = (
    fault(
        "zero-grad-left-out",
        "train-no-zero-grad",
        "loop",
        "Forgets to clear the gradients.",
        at(_clearings, removed),
    ),
    fault(
        "zero-grad-not-called",
        "train-no-zero-grad",
        "loop",
        "Names zero_grad without calling it.",
        at(_clearings, uncalled),
    ),
    fault(
        "zero-grad-once-before-loop",
        "train-no-zero-grad",
        "loop",
        "Clears the gradients once before the batches instead of at each.",
        at(_clearings, before_loop),
    ),
    fault(
        "zero-grad-now-and-then",
        "train-no-zero-grad",
        "loop",
        "Clears the gradients only each hundredth batch.",
        at(_clearings, every(100)),
    ),
    fault(
        "hand-zeroing-left-out",
        "train-no-zero-grad",
        "loop",
        "Forgets to clear gradients in an update written by hand.",
        at(_hand_clearings, removed),
    ),
    fault("step-left-out", "train-no-step", "loop", "Forgets to step the optimizer.", at(optimizer_steps, removed)),
    fault(
        "step-not-called",
        "train-no-step",
        "loop",
        "Names the optimizer's step without calling it.",
        at(optimizer_steps, uncalled),
    ),
    fault(
        "step-once-after-loop",
        "train-no-step",
        "loop",
        "Steps once after all batches, by wrong indentation.",
        at(optimizer_steps, after_loop),
    ),
    fault(
        "step-waits-for-too-many",
        "train-no-step",
        "loop",
        "Steps after more batches than the loop has.",
        at(optimizer_steps, every(5000)),
    ),
    fault(
        "hand-update-rebinds",
        "train-no-step",
        "loop",
        "Binds the name to a new tensor in place of changing the parameter.",
        at(_hand_updates, _rebound),
    ),
    fault(
        "cleared-between-backward-and-step",
        "train-order",
        "loop",
        "Clears the gradients between backward and step.",
        at(_pairs, _clear_after_backward),
    ),
    fault(
        "step-before-backward",
        "train-order",
        "loop",
        "Steps before the backward pass, on gradients that were just cleared.",
        at(optimizer_steps, _step_before_backward),
    ),
    fault(
        "cleared-again-before-step",
        "train-order",
        "loop",
        "Clears the gradients a second time just before the step.",
        at(optimizer_steps, ahead("{}.zero_grad()")),
    ),
    fault(
        "clipped-after-step",
        "train-order",
        "loop",
        "Clips gradients after the step that used them.",
        at(_clips, _clip_after_step),
    ),
    fault(
        "broken-clip-swallowed",
        "train-swallowed",
        "loop",
        "An exception of a broken clipping call is suppressed, and the step with it.",
        at(optimizer_steps, _swallowed),
    ),
    fault(
        "second-backward-swallowed",
        "train-swallowed",
        "loop",
        "A second backward raises, the error is suppressed, and the step is never reached.",
        at(optimizer_steps, _swallowed_backward),
    ),
    fault(
        "accumulation-clears-each-batch",
        "train-accumulation",
        "loop",
        "Steps each eighth batch but clears the gradients at each, so seven of eight are thrown away.",
        at(_plain_steps, every(8)),
    ),
    fault(
        "accumulation-not-divided",
        "train-accumulation",
        "loop",
        "Gathers gradients of eight batches without dividing the loss.",
        at(_plain_steps, _gather_undivided),
    ),
    fault(
        "accumulation-division-left-out",
        "train-accumulation",
        "helper",
        "The loss is no longer divided by the number of batches that are gathered.",
        at(_divisions, lambda source, node: edit.replace(source, node, edit.written(source, node.left))),
    ),
    fault(
        "weights-halved-after-step",
        "hp-regularisation",
        "loop",
        "Decays all weights by a tenth at each step by hand.",
        at(optimizer_steps, behind("[p.data.mul_(0.9) for g in {}.param_groups for p in g['params']]")),
    ),
)
