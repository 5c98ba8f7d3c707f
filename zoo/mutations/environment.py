"""Seeds and ranks: randomness that repeats itself, and processes that do not work together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault
from zoo.mutations.plant import at, removed
from zoo.mutations.rewrites import without_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import training

_NOISE = {"randn", "randn_like", "rand", "rand_like", "bernoulli", "normal", "multinomial"}
_SEED = "torch.manual_seed(0)"


def _noisy_starts(source: Source) -> Iterator[ast.stmt]:
    """The first statement of a training loop that draws noise."""
    for loop in training(source).loops:
        if any(last_name(call) in _NOISE for call in inside(loop, ast.Call)):
            yield loop.body[0]


def _noisy_functions(source: Source) -> Iterator[ast.FunctionDef]:
    """The functions training calls that draw noise."""
    for function in source.walk(ast.FunctionDef):
        draws = any(last_name(call) in _NOISE for call in inside(function, ast.Call))
        if draws and function in training(source).reached and function.name != "__init__":
            yield function


def _dropping_forwards(source: Source) -> Iterator[ast.FunctionDef]:
    """The forward methods of modules with dropout."""
    for function in training(source).forwards:
        owner = source.owner(function)
        if owner is not None and any(last_name(call) == "Dropout" for call in inside(owner, ast.Call)):
            yield function


def _seeded(source: Source, function: ast.FunctionDef) -> list[Edit]:
    return edit.at_start(source, function.body, _SEED)


def _samplers(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.walk(ast.Call) if last_name(call) == "DistributedSampler")


def _sampled_loaders(source: Source) -> Iterator[ast.Call]:
    return (call for call in source.walk(ast.Call) if "sampler" in _keywords(call) and last_name(call) == "DataLoader")


def _keywords(call: ast.Call) -> list[str]:
    return [keyword.arg or "" for keyword in call.keywords]


def _same_rank(source: Source, call: ast.Call) -> list[Edit]:
    given = argument(call, "rank")
    if given is not None:
        return edit.replace(source, given, "0")
    return (
        edit.replace(source, call.args[0], f"{source.text(call.args[0])}, num_replicas=2, rank=0") if call.args else []
    )


def _wrapped_models(source: Source) -> Iterator[ast.Call]:
    names = {"DistributedDataParallel", "DDP"}
    return (call for call in source.walk(ast.Call) if last_name(call) in names and len(call.args) == 1)


def _backwards(source: Source) -> Iterator[ast.stmt]:
    """The backward passes of programs that run on several ranks."""
    wrapped = [source.statement(call) for call in _wrapped_models(source)]
    for call in training(source).backwards if wrapped else []:
        yield source.statement(call)


def _unsynced(source: Source, statement: ast.stmt) -> list[Edit]:
    named = [
        item.targets[0] for call in _wrapped_models(source) if isinstance(item := source.statement(call), ast.Assign)
    ]
    text = f"with {source.text(named[0])}.no_sync(): {source.text(statement)}" if named else ""
    return edit.rewrite(source, statement, text) if text else []


def _epochs_set(source: Source) -> Iterator[ast.stmt]:
    return (source.statement(call) for call in source.methods("set_epoch"))


MUTATIONS = (
    fault(
        "noise-seeded-at-each-step",
        "env-seed",
        "loop",
        "Sets the seed at each step, so all noise is the same.",
        at(_noisy_starts, lambda source, item: edit.before(source, item, _SEED)),
    ),
    fault(
        "noise-seeded-when-drawn",
        "env-seed",
        "helper",
        "Sets the seed in the function that draws noise.",
        at(_noisy_functions, _seeded),
    ),
    fault(
        "dropout-seeded-in-forward",
        "env-seed",
        "class",
        "Sets the seed in forward, so dropout drops the same units for ever.",
        at(_dropping_forwards, _seeded),
    ),
    fault(
        "ranks-read-same-part",
        "env-distributed",
        "data",
        "Every rank reads the part of rank 0.",
        at(_samplers, _same_rank),
    ),
    fault(
        "gradients-not-averaged",
        "env-distributed",
        "loop",
        "Gradients are never averaged over ranks.",
        at(_backwards, _unsynced),
    ),
    fault(
        "epoch-not-set",
        "env-distributed",
        "loop",
        "The sampler is never told the epoch, so its order never changes.",
        at(_epochs_set, removed),
    ),
    fault(
        "loader-without-sampler",
        "env-distributed",
        "data",
        "The loader ignores the sampler, and all ranks read all data in the same order.",
        at(_sampled_loaders, without_argument("sampler")),
    ),
)
