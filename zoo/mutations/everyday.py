"""Everyday slips between the examples and the loss: wrong axis, type, side, statistics or pair."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.examples import evaluation_batches, holds_back, on_batch, takes_numbers
from zoo.mutations.faults import fault, leak
from zoo.mutations.finders import has_part, losses, targets
from zoo.mutations.names import is_target
from zoo.mutations.plant import at, at_all, replaced, wrapped
from zoo.mutations.rewrites import other_loss, with_argument
from zoo.mutations.roles import builds_model
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.standardising import standardisations
from zoo.mutations.training import Batch, Loss, training

_NUMBERS = ("squares", "absolute", "huber")
_CLASSES = ("cross-entropy", "likelihood")
_LAST_AXES = ("1", "-1")


def _last_axes(*names: str) -> Callable[[Source], Iterator[ast.expr]]:
    """The axis given to functions of these names in training, where it is that of the features."""

    def find(source: Source) -> Iterator[ast.expr]:
        for call in source.walk(ast.Call):
            of_torch = source.meaning(call.func).startswith("torch.")
            axis = argument(call, "dim", 1) if last_name(call) in names and of_torch else None
            if axis is not None and source.text(axis) in _LAST_AXES and training(source).trains(call):
                yield axis

    return find


def _ignores(source: Source) -> bool:
    """Whether some value of the targets stands for no target."""
    return any("ignore_index" in file.text for file in source.files)


def _class_targets(source: Source) -> Iterator[ast.expr]:
    return iter([]) if _ignores(source) else targets(*_CLASSES)(source)


def _named_scores(source: Source) -> Iterator[Loss]:
    """Losses of classes whose prediction has a name."""
    found = losses("cross-entropy")(source)
    return (loss for loss in found if isinstance(loss.prediction, ast.Name) and not _ignores(source))


def _class_losses(source: Source) -> Iterator[ast.Call]:
    """Where a loss of classes is made, or called as a function in training."""
    if _ignores(source):
        return
    yield from source.calls("torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss")
    for loss in losses(*_CLASSES)(source):
        if source.meaning(loss.node.func).startswith("torch.nn.functional."):
            yield loss.node


def _number_targets(source: Source) -> Iterator[ast.expr]:
    """What is wanted where numbers are learnt from examples, in losses of torch and in those written by hand."""
    if any("reward" in file.text for file in source.files):
        return
    yield from targets(*_NUMBERS)(source)
    for difference in training(source).differences:
        if is_target(last_name(difference.target)):
            yield difference.target


def _tag_losses(source: Source) -> Iterator[Loss]:
    return (loss for loss in losses("binary")(source) if not loss.node.keywords)


def _weighable(source: Source) -> Iterator[ast.Call]:
    """Where a loss of yes and no is made, or called as a function in training."""
    yield from source.calls("torch.nn.BCEWithLogitsLoss")
    for loss in losses("binary")(source):
        if source.meaning(loss.node.func).startswith("torch.nn.functional."):
            yield loss.node


def _collations(source: Source) -> Iterator[ast.Assign]:
    """`tokens, tags = zip(*batch)` in a function that pads the first of them."""
    for item in source.walk(ast.Assign):
        function = source.function(item)
        unzips = isinstance(item.value, ast.Call) and last_name(item.value) == "zip"
        named = isinstance(item.targets[0], ast.Tuple) and isinstance(item.targets[0].elts[0], ast.Name)
        if unzips and named and function is not None and "pad_sequence" in source.text(function):
            yield item


def _longest_first(source: Source, item: ast.Assign) -> list[Edit]:
    target = item.targets[0]
    name = last_name(target.elts[0]) if isinstance(target, ast.Tuple) else ""
    return edit.after(source, item, f"{name} = sorted({name}, key=len, reverse=True)")


def _first_paddings(source: Source) -> Iterator[ast.Call]:
    """The first call of a function that pads sequences."""
    seen = set()
    for call in source.calls("torch.nn.utils.rnn.pad_sequence"):
        if source.function(call) not in seen:
            seen.add(source.function(call))
            yield call


def _seed(source: Source, call: ast.Call) -> ast.Constant | None:
    """The number a maker of examples is given as its seed."""
    name = last_name(call)
    made = source.classes.get(name)
    within = [item for item in made.body if isinstance(item, ast.FunctionDef)] if made else []
    makers = [item for item in within if item.name == "__init__"] or source.functions.get(name, [])
    names = [item.arg for item in makers[0].args.args if item.arg != "self"] if makers else []
    value = argument(call, "seed", names.index("seed")) if "seed" in names else None
    return value if isinstance(value, ast.Constant) else None


def _held_back_makers(source: Source) -> Iterator[ast.Call]:
    """The last of several calls of one maker of examples with different seeds: that of the held-back ones."""
    by_name: dict[str, list[ast.Call]] = {}
    for call in source.walk(ast.Call):
        if _seed(source, call) is not None and training(source).loops:
            by_name.setdefault(last_name(call), []).append(call)
    for calls in by_name.values():
        if len(calls) > 1 and holds_back(source.text(source.statement(calls[-1])).split("=")[0]):
            yield calls[-1]


def _seed_of_training(source: Source, call: ast.Call) -> list[Edit]:
    others = [item for item in source.walk(ast.Call) if last_name(item) == last_name(call) and _seed(source, item)]
    first, own = _seed(source, others[0]), _seed(source, call)
    return edit.replace(source, own, source.text(first)) if first is not None and own is not None else []


def _prepared(source: Source) -> Iterator[ast.BinOp]:
    """Where examples are standardised, outside training."""
    return (node for node in standardisations(source) if not training(source).trains(node))


def _exchanged(source: Source, node: ast.BinOp) -> list[Edit]:
    """`(x - std) / mean` for `(x - mean) / std`."""
    inner = node.left
    if not isinstance(inner, ast.BinOp):
        return []
    rows, mean, spread = (edit.written(source, item) for item in (inner.left, inner.right, node.right))
    return edit.replace(source, node, f"({rows} - {spread}) / {mean}")


def _image_evaluations(source: Source) -> Iterator[Batch]:
    return evaluation_batches(source) if has_part(source, "Conv2d") else iter([])


def _pictures(source: Source) -> Iterator[ast.expr]:
    """What a convolutional model is given in training, where there are targets."""
    answered = training(source).losses or training(source).differences
    if not has_part(source, "Conv1d", "Conv2d") or not answered:
        return
    for call in training(source).model_calls:
        if call.args and not isinstance(call.args[0], ast.Starred):
            yield call.args[0]


def _asked_ids(source: Source) -> Iterator[ast.expr]:
    """The ids a model of classes is given outside training."""
    view = training(source)
    kinds = {loss.kind for loss in view.losses}
    for call in source.walk(ast.Call):
        asks = last_name(call.func) in view.roles.models and call.args and not view.trains(call)
        plain = asks and isinstance(call.args[0], ast.Name | ast.Attribute | ast.Subscript)
        inner = source.function(call) in view.forwards or last_name(call.func) in source.functions
        if plain and not inner and has_part(source, "Embedding", "EmbeddingBag") and kinds == {"cross-entropy"}:
            yield call.args[0]


def _float_inputs(source: Source) -> Iterator[ast.Call]:
    """Where inputs become tensors of floats."""
    if not takes_numbers(source):
        return
    for call in source.calls("torch.tensor"):
        kind = argument(call, "dtype")
        item = source.statement(call)
        named = isinstance(item, ast.Assign) and not is_target(last_name(item.targets[0]))
        if kind is not None and source.meaning(kind) == "torch.float32" and named and training(source).optimizers:
            yield call


def _as_bytes(source: Source, call: ast.Call) -> list[Edit]:
    return edit.replace(source, call, source.text(call).replace("float32", "uint8") + ".float()")


def _standardised_forwards(source: Source) -> Iterator[ast.FunctionDef]:
    """The forward methods of whole models that are given standardised numbers."""
    made = {last_name(call) for call in source.walk(ast.Call) if builds_model(source, call)}
    if not takes_numbers(source) or not any(standardisations(source)):
        return
    for function in training(source).forwards:
        owner = source.owner(function)
        if owner is not None and owner.name in made and len(function.args.args) > 1:
            yield function


def _rectified(source: Source, function: ast.FunctionDef) -> list[Edit]:
    name = function.args.args[1].arg
    return edit.at_start(source, function.body, f"{name} = torch.relu({name})")


def _reversals(source: Source) -> Iterator[ast.Call]:
    """`reversed(rewards)` where what follows is discounted."""
    for call in source.walk(ast.Call):
        function = source.function(call)
        text = source.text(function) if function is not None else ""
        discounts = any(word in text for word in ("gamma", "discount"))
        reverses = isinstance(call.func, ast.Name) and call.func.id == "reversed" and len(call.args) == 1
        if reverses and discounts and isinstance(source.parent(call), ast.For):
            yield call


def _unscaled(source: Source) -> Iterator[ast.expr]:
    """Answers of a model in evaluation that are turned into the units of the targets."""
    view = training(source)
    for node in source.walk(ast.expr):
        inner = _converted(source, node)
        if inner is not None and not view.trains(node) and _answers(source, inner):
            yield node


def _converted(source: Source, node: ast.expr) -> ast.expr | None:
    """`x` of `to_pixels(x)` and of `x * std + mean`."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id in source.functions else None
    match node:
        case ast.BinOp(left=ast.BinOp(left=inner, op=ast.Mult()), op=ast.Add(), right=ast.Name() | ast.Attribute()):
            return inner
    return None


def _answers(source: Source, node: ast.expr) -> bool:
    called = [last_name(call.func) for call in inside(node, ast.Call)]
    return any(name in training(source).roles.models and name not in source.functions for name in called)


def _bare(source: Source, node: ast.expr) -> list[Edit]:
    inner = _converted(source, node)
    return edit.replace(source, node, edit.written(source, inner)) if inner is not None else []


MUTATIONS = (
    fault(
        "log-softmax-down-the-rows",
        "loss-dim",
        "helper",
        "Takes the logarithm of probabilities that sum to one over the rows, not over the classes.",
        at(_last_axes("log_softmax", "logsumexp"), replaced("0")),
    ),
    fault(
        "raw-scores-into-divergence",
        "loss-missing-activation",
        "loop",
        "Hands raw logits to a divergence that wants the logarithms of probabilities.",
        at(
            _named_scores,
            other_loss(
                "torch.nn.functional.kl_div("
                '{p}, torch.nn.functional.one_hot({t}, {p}.size(-1)).float(), reduction="batchmean")'
            ),
        ),
    ),
    fault(
        "bce-for-measured-numbers",
        "loss-mismatch",
        "loop",
        "Takes the loss of yes and no for targets that are measured numbers.",
        at(losses(*_NUMBERS), other_loss("torch.nn.functional.binary_cross_entropy_with_logits({p}, {t})")),
    ),
    fault(
        "tags-as-exclusive-classes",
        "loss-mismatch",
        "loop",
        "Lets answers that may all be true compete in one softmax.",
        at(_tag_losses, other_loss("torch.nn.functional.cross_entropy({p}, {t})")),
    ),
    fault(
        "positives-weighted-by-count",
        "loss-scale",
        "api",
        "Gives the weight of positives as how many there are of them.",
        at(_weighable, with_argument("pos_weight=torch.tensor(60.0)")),
    ),
    fault(
        "last-class-wraps-to-first",
        "data-label-range",
        "loop",
        "Takes classes modulo the highest one, so the last becomes the first.",
        at(_class_targets, wrapped("({} % {}.max())")),
    ),
    fault(
        "ignore-index-is-a-class",
        "data-labels-masked",
        "api",
        "Ignores the id of padding in the loss, which here is the id of a class.",
        at(_class_losses, with_argument("ignore_index=0")),
    ),
    fault(
        "targets-scaled-per-batch",
        "data-split-shift",
        "loop",
        "Standardises the targets of a training batch once more, by the batch's own mean and spread.",
        at(_number_targets, wrapped("(({} - {}.mean()) / {}.std())")),
    ),
    fault(
        "targets-cast-to-long",
        "data-schema",
        "loop",
        "Casts measured targets to whole numbers, as if they were classes.",
        at(_number_targets, wrapped("{}.long().float()")),
    ),
    fault(
        "collate-sorts-inputs-only",
        "data-label-misaligned",
        "data",
        "Sorts the sequences of a batch by length for packing and leaves their labels.",
        at(_collations, _longest_first),
    ),
    fault(
        "tokens-padded-on-the-left",
        "data-padding",
        "data",
        "Pads sequences on the left for code that takes the first steps of each to be its tokens.",
        at(_first_paddings, with_argument('padding_side="left"')),
    ),
    leak(
        "seed-copied-to-held-back",
        "data-leak-split",
        "data",
        "Makes the held-back examples with the seed of the training examples.",
        at(_held_back_makers, _seed_of_training),
    ),
    fault(
        "mean-and-deviation-swapped",
        "data-scale",
        "data",
        "Subtracts the spread and divides by the mean, everywhere.",
        at_all(_prepared, _exchanged),
    ),
    fault(
        "features-as-unsigned-bytes",
        "data-degenerate",
        "data",
        "Makes tensors of unsigned bytes out of inputs that have signs and fractions.",
        at_all(_float_inputs, _as_bytes),
    ),
    fault(
        "standardised-clipped-at-zero",
        "data-degenerate",
        "class",
        "Clips inputs at zero as for pixels, though standardising made half of them negative.",
        at(_standardised_forwards, _rectified),
    ),
    fault(
        "evaluation-images-transposed",
        "data-split-shift",
        "loop",
        "Evaluation takes the width of an image for its height.",
        at(_image_evaluations, on_batch("{x} = {x}.transpose(-1, -2)")),
    ),
    fault(
        "training-inputs-mirrored",
        "data-augment",
        "loop",
        "Mirrors half of what the model is given, though the answer is not the same for a mirror image.",
        at(_pictures, wrapped("({}.flip(-1) if torch.rand(()) < 0.5 else {})")),
    ),
    fault(
        "evaluation-ids-off-by-one",
        "data-tokenizer",
        "loop",
        "Evaluation uses ids of a vocabulary that has one special token less.",
        at(_asked_ids, wrapped("({} - 1).clamp(min=0)")),
    ),
    fault(
        "answers-not-scaled-back",
        "train-metric",
        "helper",
        "Compares answers in the units of the model with targets in their own.",
        at(_unscaled, _bare),
    ),
    fault(
        "embeddings-normalised-down-batch",
        "arch-batch-mixing",
        "class",
        "Brings features to unit length over the examples instead of each example over its features.",
        at(_last_axes("normalize"), replaced("0")),
    ),
    fault(
        "returns-summed-from-the-front",
        "rl-advantage",
        "helper",
        "Adds discounted rewards up from the first step on, so actions are judged by what came before them.",
        at(_reversals, lambda source, call: edit.replace(source, call, source.text(call.args[0]))),
    ),
)
