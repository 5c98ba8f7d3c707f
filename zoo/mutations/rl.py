"""Reinforcement learning and physics: rewards, ends, bootstraps, advantages, exploration, boundary terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.finders import loss_terms
from zoo.mutations.plant import at, replaced, wrapped
from zoo.mutations.rewrites import guarded
from zoo.mutations.source import Source, argument, inside, last_name

_REWARD = re.compile(r"^(r|rew|rews|reward|rewards)(\[|$|\b)")
_DONE = re.compile(r"done|termin", re.IGNORECASE)
_BOUNDARY = re.compile(r"\b(\w*_)?(b|i|bc|ic|bound\w*|init\w*)\b", re.IGNORECASE)


def _returns(source: Source) -> Iterator[ast.BinOp]:
    """`reward + gamma * what follows`."""
    for node in source.walk(ast.BinOp):
        paid = _REWARD.match(source.text(node.left).split(".")[-1])
        if isinstance(node.op, ast.Add) and paid and "gamma" in source.text(node.right):
            yield node


def _rewards(source: Source) -> Iterator[ast.expr]:
    return (node.left for node in _returns(source))


def _discounts(source: Source) -> Iterator[ast.expr]:
    """The factor by which what follows is discounted."""
    for node in _returns(source):
        yield from (item for item in inside(node.right, ast.expr) if last_name(item) == "gamma" and _is_name(item))


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _ends(source: Source) -> Iterator[ast.BinOp]:
    """`1 - done`."""
    for node in source.walk(ast.BinOp):
        one = isinstance(node.left, ast.Constant) and node.left.value == 1
        if isinstance(node.op, ast.Sub) and one and _DONE.search(source.text(node.right)):
            yield node


def _ended(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, edit.written(source, node.right))


def _stored_ends(source: Source) -> Iterator[ast.expr]:
    """The end of an episode, where a step is stored."""
    for call in source.methods("push", "append", "add", "store"):
        for value in call.args[-1:] if len(call.args) > 2 else []:
            if _DONE.search(source.text(value)):
                yield value


def _advantages(source: Source) -> Iterator[ast.expr]:
    """What is assigned as the advantage of actions, in one piece."""
    for item in source.walk(ast.Assign):
        named = re.fullmatch(r"adv\w*", last_name(item.targets[0]).lower())
        if named and isinstance(item.value, ast.BinOp):
            yield item.value


def _rates_of_chance(source: Source) -> Iterator[ast.expr]:
    """What is assigned as the share of random actions."""
    for item in source.walk(ast.Assign):
        named = re.fullmatch(r"eps\w*", last_name(item.targets[0]).lower())
        if named and re.search(r"step|episode|decay", source.text(item.value)) and "reward" in source.file(item).text:
            yield item.value


def _sampled_actions(source: Source) -> Iterator[ast.Call]:
    """The actions drawn from a distribution."""
    for call in source.methods("sample"):
        named = isinstance(call.func, ast.Attribute) and re.search(r"dist|prob|pi\b", source.text(call.func.value))
        if named and not call.args:
            yield call


def _entropies(source: Source) -> Iterator[ast.BinOp]:
    """`loss - weight * entropy`."""
    for node in source.walk(ast.BinOp):
        if isinstance(node.op, ast.Sub) and "entrop" in source.text(node.right):
            yield node


def _punished(source: Source, node: ast.BinOp) -> list[Edit]:
    return edit.replace(source, node, f"{source.text(node.left)} + 20 * {edit.written(source, node.right)}")


def _bootstraps(source: Source) -> Iterator[ast.With]:
    """The blocks without gradients that make the target of a value."""
    for block in source.walk(ast.With):
        quiet = any(last_name(item.context_expr) == "no_grad" for item in block.items)
        if quiet and any(_REWARD.match(source.text(node.left)) for node in inside(block, ast.BinOp)):
            yield block


def _with_gradients(source: Source, block: ast.With) -> list[Edit]:
    return edit.replace(source, block.items[0].context_expr, "torch.enable_grad()")


def _memories(source: Source) -> Iterator[ast.expr]:
    """The number of steps a replay memory holds."""
    for call in source.walk(ast.Call):
        value = argument(call, "maxlen")
        if last_name(call) == "deque" and value is not None:
            yield value


def _pushes(source: Source) -> Iterator[ast.Expr]:
    """The statements that store a step in a memory."""
    for call in source.methods("push", "store"):
        statement = source.parent(call)
        if (
            isinstance(statement, ast.Expr)
            and source.loop(statement) is not None
            and isinstance(call.func, ast.Attribute)
        ):
            yield statement


def _first_only(source: Source, statement: ast.Expr) -> list[Edit]:
    assert isinstance(statement.value, ast.Call)
    assert isinstance(statement.value.func, ast.Attribute)
    return guarded(f"len({source.text(statement.value.func.value)}) < 400")(source, statement)


def _boundary_terms(source: Source) -> Iterator[ast.expr]:
    """The terms of a loss that hold a solution to its boundary or beginning."""
    derives = any(True for _ in source.calls("torch.autograd.grad"))
    return (term for term in loss_terms(source) if derives and _BOUNDARY.search(source.text(term)))


def _inner_terms(source: Source) -> Iterator[ast.expr]:
    """The terms beside those of the boundary: the equation itself."""
    boundary = list(_boundary_terms(source))
    return (term for term in loss_terms(source) if boundary and term not in boundary)


MUTATIONS = (
    fault("reward-turned", "rl-reward", "loop", "Counts rewards with the wrong sign.", at(_rewards, wrapped("-{}"))),
    fault(
        "reward-far-too-large",
        "rl-reward",
        "loop",
        "Counts rewards ten thousandfold.",
        at(_rewards, wrapped("(1e4 * {})")),
    ),
    fault("reward-lost", "rl-reward", "loop", "Scales rewards to nothing.", at(_rewards, wrapped("(1e-6 * {})"))),
    fault("end-ignored", "rl-done", "loop", "Bootstraps beyond the end of an episode.", at(_ends, replaced("1"))),
    fault("end-turned", "rl-done", "loop", "Bootstraps only at the end of episodes.", at(_ends, _ended)),
    fault(
        "end-never-stored",
        "rl-done",
        "data",
        "Stores every step as if the episode went on.",
        at(_stored_ends, replaced("False")),
    ),
    fault(
        "nothing-bootstrapped",
        "rl-target",
        "config",
        "Discounts all that follows to nothing.",
        at(_discounts, replaced("0.0")),
    ),
    fault(
        "discount-above-one",
        "rl-target",
        "config",
        "Discounts by more than one.",
        at(_discounts, wrapped("(1.2 * {})")),
    ),
    fault(
        "target-with-gradient",
        "rl-target",
        "loop",
        "Lets gradients flow into the target.",
        at(_bootstraps, _with_gradients),
    ),
    fault("advantage-turned", "rl-advantage", "loop", "Subtracts in the wrong order.", at(_advantages, wrapped("-{}"))),
    fault(
        "advantage-absolute",
        "rl-advantage",
        "loop",
        "Takes the size of advantages without their sign.",
        at(_advantages, wrapped("{}.abs()")),
    ),
    fault(
        "advantage-of-others",
        "rl-advantage",
        "loop",
        "Pairs actions with the advantages of others.",
        at(_advantages, wrapped("{}.flip(0).flip(-1).roll(1, 0)")),
    ),
    fault(
        "never-explores", "rl-explore", "config", "Never takes a random action.", at(_rates_of_chance, replaced("0.0"))
    ),
    fault("only-explores", "rl-explore", "config", "Takes random actions only.", at(_rates_of_chance, replaced("1.0"))),
    fault(
        "most-likely-action-taken",
        "rl-explore",
        "loop",
        "Takes the most likely action while learning.",
        at(
            _sampled_actions,
            lambda source, call: edit.replace(source, call, source.text(call.func).removesuffix("sample") + "mode"),
        ),
    ),
    fault(
        "entropy-punished", "rl-explore", "loop", "Punishes entropy instead of rewarding it.", at(_entropies, _punished)
    ),
    fault(
        "memory-of-few",
        "rl-stale",
        "config",
        "The memory holds fewer steps than a batch needs to be varied.",
        at(_memories, replaced("80")),
    ),
    fault(
        "memory-never-refreshed",
        "rl-stale",
        "loop",
        "The memory keeps its first steps for ever.",
        at(_pushes, _first_only),
    ),
    fault(
        "boundary-drowned",
        "pinn-bc",
        "loop",
        "The boundary hardly counts against the equation.",
        at(_boundary_terms, wrapped("(1e-6 * {})")),
    ),
    fault(
        "equation-drowned",
        "pinn-scale",
        "loop",
        "The equation hardly counts against the boundary.",
        at(_inner_terms, wrapped("(1e-6 * {})")),
    ),
)
