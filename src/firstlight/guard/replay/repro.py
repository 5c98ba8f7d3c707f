"""From the operation that went wrong to a script of a few lines that goes wrong the same way, with torch alone.

The operation is taken with the very values it was given, cut down as long as it still fails, and written as literals.
"""

import base64
import functools
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.localise import Birth, Made

MOST_LITERAL = 512
"""Elements of a tensor that are written out; larger ones are packed."""
MOST_ELEMENTS = 1 << 20
FAILS = '    raise SystemExit("it fails the same way: not every number is finite")'
PACKED = """def unpacked(text, dtype, shape):
    return torch.frombuffer(bytearray(zlib.decompress(base64.b64decode(text))), dtype=dtype).reshape(shape)
"""


@dataclass(frozen=True)
class Call:
    """An operation and what it is given, on the CPU."""

    func: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.func(*self.args, **self.kwargs)

    def changed(self, change: Callable[[torch.Tensor], torch.Tensor]) -> "Call":
        return Call(self.func, _mapped(self.args, change), _mapped(self.kwargs, change))

    @property
    def tensors(self) -> list[torch.Tensor]:
        return list(reading.tensors_in([list(self.args), self.kwargs]))


def script_of(birth: Birth, title: str) -> str | None:
    """A script that was seen to fail, or None where the operation alone does not."""
    for made, slope in _candidates(birth):
        call = Call(made.func, made.args, made.kwargs).changed(_plain)
        fails = _slope_fails if slope else _fails
        if not fails(call):
            continue
        small = shrunk(call, fails)
        if sum(tensor.numel() for tensor in small.tensors) > MOST_ELEMENTS:
            continue
        text = _written(small, slope, title)
        if _holds(text):
            return text
    return None


def _candidates(birth: Birth) -> Iterator[tuple[Made, bool]]:
    """For a bad gradient first the operation whose slope it is, then the bare operation of the backward."""
    if birth.forward is not None and birth.forward.args:
        yield birth.forward, True
    yield birth.made, False


def shrunk(call: Call, fails: Callable[[Call], bool]) -> Call:
    """Halves one extent after the other as long as it still fails."""
    while (smaller := next((cut for cut in _halves(call) if fails(cut)), None)) is not None:
        call = smaller
    return call


def _halves(call: Call) -> Iterator[Call]:
    """Largest extents first. Dimensions of equal extent may belong together or not: both are tried."""
    extents = sorted({size for tensor in call.tensors for size in tensor.shape if size > 1}, reverse=True)
    for extent in extents:
        axes = {at for tensor in call.tensors for at, size in enumerate(tensor.shape) if size == extent}
        for chosen in (axes, *({axis} for axis in sorted(axes) if len(axes) > 1)):
            for start, length in ((0, extent // 2), (extent // 2, extent - extent // 2)):
                yield call.changed(functools.partial(_cut, extent, chosen, start, length))


def _cut(extent: int, axes: set[int], start: int, length: int, tensor: torch.Tensor) -> torch.Tensor:
    for axis, size in enumerate(tensor.shape):
        if size == extent and axis in axes:
            tensor = tensor.narrow(axis, start, length)
    return tensor.contiguous()


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().to("cpu").contiguous().clone()


def _mapped(tree: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, dict):
        return {key: _mapped(item, change) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(_mapped(item, change) for item in tree)
    if isinstance(tree, torch.device):
        return torch.device("cpu")
    return tree


def _fails(call: Call) -> bool:
    try:
        made = call.changed(torch.clone).run()
    except Exception:  # noqa: BLE001  # cut in a way the operation does not take
        return False
    return any(not reading.all_finite(tensor) for tensor in reading.tensors_in(made))


def _slope_fails(call: Call) -> bool:
    leaves: list[torch.Tensor] = []

    def leaf(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        leaves.append(tensor.clone().requires_grad_(True))
        return leaves[-1]

    try:
        with torch.enable_grad():
            made = next(t for t in reading.tensors_in(call.changed(leaf).run()) if t.requires_grad)
            made.sum().backward()
    except Exception:  # noqa: BLE001  # as above
        return False
    return any(leaf.grad is not None and not reading.all_finite(leaf.grad) for leaf in leaves)


def _written(call: Call, slope: bool, title: str) -> str:
    names: list[str] = []
    lines: list[str] = []

    def named(tensor: torch.Tensor, name: str) -> str:
        names.append(name)
        wants = slope and tensor.is_floating_point()
        lines.append(f"{name} = {literal(tensor)}{'.requires_grad_(True)' if wants else ''}")
        return name

    schema = [argument.name for argument in call.func._schema.arguments]
    words = [_word(item, name, named) for name, item in zip(schema, call.args, strict=False)]
    words += [f"{key}={_word(item, key, named)}" for key, item in call.kwargs.items()]
    packed = any("unpacked(" in line for line in lines)
    body = [f'"""{title}"""', "", *(["import base64", "import zlib", ""] if packed else []), "import torch"]
    body += ["", 'inf, nan = float("inf"), float("nan")', *([PACKED] if packed else []), *lines]
    body += [f"result = torch.ops.{_path(call.func)}({', '.join(words)})"]
    body += ["made = result if isinstance(result, torch.Tensor) else result[0]"]
    if slope:
        body += ["made.sum().backward()"]
        leaves = [name for name, line in zip(names, lines, strict=True) if line.endswith("requires_grad_(True)")]
        body += [f'print("{name}.grad =", {name}.grad)' for name in leaves]
        body += [f"found = [leaf.grad for leaf in ({', '.join(leaves)},) if leaf.grad is not None]"]
        body += ["if not all(torch.isfinite(grad).all() for grad in found):", FAILS]
    else:
        body += ['print("result =", made)', "if not torch.isfinite(made).all():", FAILS]
    return "\n".join(body) + "\n"


def _word(item: Any, name: str, named: Callable[[torch.Tensor, str], str]) -> str:
    if isinstance(item, torch.Tensor):
        return named(item, "value" if name == "self" else name)
    if isinstance(item, list | tuple) and any(isinstance(each, torch.Tensor) for each in item):
        words = [_word(each, f"{name}_{at}", named) for at, each in enumerate(item)]
        return "[" + ", ".join(words) + "]"
    if isinstance(item, torch.device):
        return 'torch.device("cpu")'
    if isinstance(item, torch.Generator):
        return "None"
    return repr(item)


def literal(tensor: torch.Tensor) -> str:
    if tensor.numel() <= MOST_LITERAL:
        return f"torch.tensor({tensor.tolist()!r}, dtype={tensor.dtype})"
    raw = bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist())
    text = base64.b64encode(zlib.compress(raw, 9)).decode()
    return f'unpacked("{text}", {tensor.dtype}, {tuple(tensor.shape)})'


def _path(func: Any) -> str:
    """`aten.log.default`: how the overload is reached below `torch.ops`."""
    space, _, name = func._schema.name.partition("::")
    return f"{space}.{name}.{func._schema.overload_name or 'default'}"


def _holds(text: str) -> bool:
    """The script fails as it says, here and now."""
    try:
        with torch.enable_grad():
            exec(compile(text, "repro.py", "exec"), {"__name__": "repro", "print": lambda *_: None})
    except SystemExit:
        return True
    except Exception:  # noqa: BLE001  # then it is not written
        return False
    return False
