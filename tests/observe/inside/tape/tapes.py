"""A tape around a few lines of torch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.overrides import TorchFunctionMode

from firstlight.observe.inside.tape.recorder import Recorder, TorchCall


class _Mode(TorchFunctionMode):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        name = getattr(getattr(func, "__self__", None), "__name__", "") if name == "__get__" else name
        call = TorchCall(func, name, args, kwargs or {})
        before = self.recorder.before(call)
        result = func(*args, **(kwargs or {}))
        self.recorder.note(call, result, before)
        return result


@contextmanager
def taped() -> Iterator[Recorder]:
    recorder = Recorder()
    with _Mode(recorder):
        yield recorder
