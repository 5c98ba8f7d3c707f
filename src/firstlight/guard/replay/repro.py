"""From the operation that went wrong to a script of a few lines that goes wrong the same way, with torch alone.

The operation is taken with the very values it was given. Of many rows the first that goes wrong is shown; what is still
too long to read is cut down as long as it fails. A script is written only if it was seen to fail.
"""

import base64
import functools
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.localise import Birth, Made, Row, bad_row

MOST_LITERAL = 512
"""Elements of a tensor that are written out; larger ones are packed."""
READABLE = 40
"""Numbers that a reader takes in at a glance: down to here a call is cut, and no further."""
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
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


def script_of(birth: Birth, title: str, notes: Sequence[str] = ()) -> str | None:
    """A script that was seen to fail, or None where the operation alone does not. `notes` stand below the title."""
    row = bad_row(birth)
    for made, slope in _candidates(birth):
        call = Call(made.func, made.args, made.kwargs).changed(_plain)
        fails = _slope_fails if slope else _fails
        if not fails(call):
            continue
        alone = call if row is None else call.changed(functools.partial(_only_row, row))
        small = shrunk(alone if fails(alone) else call, fails, READABLE)
        if sum(tensor.numel() for tensor in small.tensors) > MOST_ELEMENTS:
            continue
        for spelling in _spellings(small):
            text = _written(small, slope, spelling, [title, *notes])
            if _holds(text):
                return text
    return None


def _candidates(birth: Birth) -> Iterator[tuple[Made, bool]]:
    """For a bad gradient first the operation whose slope it is, then the bare operation of the backward."""
    if birth.forward is not None and birth.forward.args:
        yield birth.forward, True
    yield birth.made, False


def shrunk(call: Call, fails: Callable[[Call], bool], least: int = 0) -> Call:
    """Halves one extent after the other as long as it still fails and holds more than `least` numbers."""
    while sum(tensor.numel() for tensor in call.tensors) > least:
        smaller = next((cut for cut in _halves(call) if fails(cut)), None)
        if smaller is None:
            break
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


def _only_row(row: Row, tensor: torch.Tensor) -> torch.Tensor:
    return tensor.narrow(0, row.index, 1).contiguous() if tensor.ndim and len(tensor) == row.rows else tensor


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


def _spellings(call: Call) -> Iterator[Callable[[list[str]], str]]:
    """How the call may be written, the most familiar way first."""
    name = call.func._schema.name.partition("::")[2].removesuffix("_")
    if name in OPERATORS and len(call.args) == 2 and not call.kwargs:
        yield f" {OPERATORS[name]} ".join
    if hasattr(torch, name):
        yield lambda words: f"torch.{name}({', '.join(words)})"
    yield lambda words: f"torch.ops.{_path(call.func)}({', '.join(words)})"


def _written(call: Call, slope: bool, spelling: Callable[[list[str]], str], head: list[str]) -> str:
    lines: dict[str, str] = {}

    def named(tensor: torch.Tensor, name: str) -> str:
        wants = slope and tensor.is_floating_point()
        lines[name] = f"{name} = {literal(tensor)}{'.requires_grad_(True)' if wants else ''}"
        return name

    schema = [argument.name for argument in call.func._schema.arguments]
    words = [_word(item, name, named) for name, item in zip(schema, call.args, strict=False)]
    words += [f"{key}={_word(item, key, named)}" for key, item in call.kwargs.items()]
    packed = any("unpacked(" in line for line in lines.values())
    body = ['"""' + "\n".join(head), '"""', "", *(["import base64", "import zlib", ""] if packed else [])]
    body += ["import torch", ""]
    if any(re.search(r"\b(inf|nan)\b", line) for line in lines.values()):
        body += ['inf, nan = float("inf"), float("nan")']
    body += [*([PACKED] if packed else []), *lines.values(), f"result = {spelling(words)}"]
    body += ["made = result if isinstance(result, torch.Tensor) else result[0]"]
    return "\n".join([*body, *_verdict(slope, lines)]) + "\n"


def _verdict(slope: bool, lines: dict[str, str]) -> list[str]:
    """What the script looks at to tell whether it fails."""
    if not slope:
        return ['print("result =", made)', "if not torch.isfinite(made).all():", FAILS]
    leaves = [name for name, line in lines.items() if line.endswith("requires_grad_(True)")]
    return [
        "made.sum().backward()",
        *(f'print("{name}.grad =", {name}.grad)' for name in leaves),
        f"found = [leaf.grad for leaf in ({', '.join(leaves)},) if leaf.grad is not None]",
        "if not all(torch.isfinite(grad).all() for grad in found):",
        FAILS,
    ]


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
        return f"torch.tensor({_digits(tensor)}, dtype={tensor.dtype})"
    raw = bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist())
    text = base64.b64encode(zlib.compress(raw, 9)).decode()
    return f'unpacked("{text}", {tensor.dtype}, {tuple(tensor.shape)})'


def _digits(tensor: torch.Tensor) -> str:
    """With as few digits as tell every number from its neighbours."""
    if not tensor.is_floating_point():
        return repr(tensor.tolist())
    values = tensor.flatten().tolist()
    for digits in (4, 6, 9):
        again = torch.tensor([float(f"{value:.{digits}g}") for value in values], dtype=tensor.dtype)
        if torch.equal(again.nan_to_num(), tensor.flatten().nan_to_num()):
            return nested(tensor.tolist(), digits)
    return repr(tensor.tolist())


def nested(value: Any, digits: int) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(nested(each, digits) for each in value) + "]"
    return f"{value:.{digits}g}"


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
