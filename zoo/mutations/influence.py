"""Examples and positions that influence what they should not, or do not where they should."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from zoo.mutations import edit
from zoo.mutations.edit import Edit
from zoo.mutations.faults import fault, leak
from zoo.mutations.finders import inner_layers
from zoo.mutations.plant import at, replaced, wrapped
from zoo.mutations.rewrites import with_argument, without_argument
from zoo.mutations.source import Source, argument, inside, last_name
from zoo.mutations.training import training

_SEQUENTIAL = (
    "LSTM",
    "GRU",
    "RNN",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "Transformer",
    "MultiheadAttention",
)


def _batch_first(source: Source) -> Iterator[ast.Call]:
    """The sequence layers that were told that the batch comes first."""
    for call in source.calls(*(f"torch.nn.{name}" for name in _SEQUENTIAL)):
        value = argument(call, "batch_first")
        if isinstance(value, ast.Constant) and value.value is True:
            yield call


def _forward_calls(source: Source) -> Iterator[ast.Call]:
    for function in training(source).forwards:
        yield from inside(function, ast.Call)


def _softmax_axes(source: Source) -> Iterator[ast.expr]:
    """The axis of a softmax in forward, as of attention."""
    for call in _forward_calls(source):
        function = isinstance(call.func, ast.Attribute) and source.meaning(call.func.value) in {
            "torch",
            "torch.nn.functional",
        }
        axis = argument(call, "dim", 1 if function or isinstance(call.func, ast.Name) else 0)
        if last_name(call) == "softmax" and axis is not None:
            yield axis


def _flattenings(source: Source) -> Iterator[ast.Call]:
    """The calls in forward that flatten all but the batch: `x.flatten(1)`, `x.view(x.size(0), -1)`."""
    for call in _forward_calls(source):
        text = [source.text(item).replace(" ", "") for item in call.args]
        flat = last_name(call) == "flatten" and text[:1] == ["1"]
        viewed = last_name(call) in {"view", "reshape"} and len(text) == 2 and text[1] == "-1"
        if isinstance(call.func, ast.Attribute) and (flat or viewed) and last_name(call.func.value) != "torch":
            yield call


def _flattened_across(source: Source, call: ast.Call) -> list[Edit]:
    assert isinstance(call.func, ast.Attribute)
    value = edit.written(source, call.func.value)
    return edit.replace(source, call, f"{value}.transpose(0, 1).reshape({value}.shape[0], -1)")


def _masked_fills(source: Source) -> Iterator[ast.Call]:
    """The calls that mask scores of attention in a module."""
    for call in source.methods("masked_fill", "masked_fill_"):
        if len(call.args) > 1 and source.function(call) in training(source).forwards:
            yield call


def _masks(source: Source) -> Iterator[ast.expr]:
    """The masks that attention is given."""
    yield from (call.args[0] for call in _masked_fills(source))
    for call in source.walk(ast.Call):
        for name in ("key_padding_mask", "src_key_padding_mask", "memory_key_padding_mask"):
            value = argument(call, name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                yield value


def _inverted(source: Source, mask: ast.expr) -> list[Edit]:
    if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
        return edit.replace(source, mask, source.text(mask.operand))
    return edit.wrap(source, mask, "~{}")


def _unmasked(source: Source, call: ast.Call) -> list[Edit]:
    assert isinstance(call.func, ast.Attribute)
    return edit.replace(source, call, edit.written(source, call.func.value))


def _triangles(source: Source) -> Iterator[ast.Call]:
    """The triangular masks of causal attention."""
    return source.calls("torch.tril")


def _padding_masks(source: Source) -> Iterator[ast.Call]:
    for call in source.walk(ast.Call):
        if argument(call, "src_key_padding_mask") is not None or argument(call, "key_padding_mask") is not None:
            yield call


def _unpadded(source: Source, call: ast.Call) -> list[Edit]:
    name = "src_key_padding_mask" if argument(call, "src_key_padding_mask") is not None else "key_padding_mask"
    return without_argument(name)(source, call)


def _causal_masks(source: Source) -> Iterator[ast.expr]:
    """The masks that keep a position from later ones, where they are given or made."""
    for call in source.methods("generate_square_subsequent_mask"):
        yield call
    for call in source.walk(ast.Call):
        if source.meaning(call.func) == "torch.triu":
            yield call


MUTATIONS = (
    fault(
        "batch-first-forgotten",
        "arch-batch-mixing",
        "api",
        "Forgets `batch_first`, so examples become steps of time.",
        at(_batch_first, with_argument("batch_first=False")),
    ),
    fault(
        "softmax-over-batch-in-forward",
        "arch-batch-mixing",
        "class",
        "Normalises attention over the examples.",
        at(_softmax_axes, replaced("0")),
    ),
    fault(
        "flattened-across-examples",
        "arch-batch-mixing",
        "class",
        "Transposes before flattening, so rows hold pieces of many examples.",
        at(_flattenings, _flattened_across),
    ),
    fault(
        "view-for-transpose",
        "arch-batch-mixing",
        "class",
        "Reshapes a transposed hidden value to its old shape.",
        at(inner_layers, wrapped("{}.transpose(0, 1).reshape({}.shape)")),
    ),
    fault(
        "summed-along-batch",
        "arch-batch-mixing",
        "class",
        "A cumulative sum runs along the batch instead of time.",
        at(inner_layers, wrapped("{}.cumsum(0)")),
    ),
    fault(
        "mask-inverted",
        "arch-mask",
        "class",
        "Masks what should be seen and shows what should be masked.",
        at(_masks, _inverted),
    ),
    fault(
        "mask-left-out",
        "arch-mask",
        "class",
        "Forgets to mask the scores.",
        at(_masked_fills, _unmasked),
    ),
    fault(
        "mask-fills-with-zero",
        "arch-mask",
        "class",
        "Masks scores with zero instead of minus infinity.",
        at(_masked_fills, lambda source, call: edit.replace(source, call.args[1], "0.0")),
    ),
    fault(
        "padding-mask-not-given",
        "arch-mask",
        "class",
        "Attention is not told what is padding.",
        at(_padding_masks, _unpadded),
    ),
    fault(
        "triangle-upside-down",
        "arch-mask",
        "class",
        "The causal mask is the upper triangle.",
        at(_triangles, lambda s, c: edit.replace(s, c.func, "torch.triu")),
    ),
    fault(
        "causal-mask-without-effect",
        "arch-mask",
        "class",
        "The causal mask masks nothing.",
        at(_causal_masks, wrapped("torch.zeros_like({})")),
    ),
    leak(
        "future-not-masked",
        "data-leak-future",
        "class",
        "Every position sees all later ones.",
        at(
            _triangles, lambda source, call: edit.replace(source, call, f"torch.ones_like({source.text(call.args[0])})")
        ),
    ),
)
