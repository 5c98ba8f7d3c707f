"""Single operations: the tape, and on the steps observed in full, loss calls, broadcasts, cuts, attention masks.

A `TorchFunctionMode` sees every torch call; it is pushed only while the tape runs or a step is observed in full,
because it costs about half of a tiny model's step.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder, TorchCall
from firstlight.observe.inside.taps import attention, cuts, losses, pairings, units
from firstlight.observe.inside.taps.backward import Walked
from firstlight.observe.inside.taps.models import Call, Models

Handler = Callable[[str, tuple[Any, ...], dict[str, Any], Any], None]
COPIES = ("copy_", "clone")
"""What puts values of another tensor into one; a module that is copied whole clones its parameters."""
DRAWS = frozenset(
    {
        "normal_",
        "uniform_",
        "trunc_normal_",
        "kaiming_normal_",
        "kaiming_uniform_",
        "xavier_normal_",
        "xavier_uniform_",
    }
)
"""What fills a tensor by chance, as initialisations do."""
CARRIES = frozenset({"to", "cuda", "cpu", "float", "half", "bfloat16", "double"})
"""What moves the values of a model elsewhere as they are."""
EVAL_CALLS = 4
"""Model calls without gradients whose following operations are watched too: that is where metrics are computed."""


class Operations(TorchFunctionMode):
    def __init__(self, observer: Observer, walked: Walked) -> None:
        super().__init__()
        self.observer = observer
        self.walked = walked
        self.begun = False
        self.paused = 0
        self.eval_calls = 0
        self.recorder: Recorder | None = None
        self.taped: Callable[[], bool] = lambda: False
        """The tape runs in this step."""
        self.looking = False
        """Operations are looked at by the handlers too."""
        self._taping = False
        self.before: dict[str, Handler] = {}
        """Called ahead of the operation: it may be the one that raises."""
        self.handlers: dict[str, Handler] = {}
        self.every: list[Handler] = []
        self._followers: tuple[Handler, ...] = ()
        """Told of every call of an evaluation."""
        self._handling: set[int] = set()
        """Threads in a call that this mode was asked about: as long as it lasts, torch has it off the stack."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        thread = threading.get_ident()
        self._handling.add(thread)
        try:
            return self._handled(func, args, kwargs or {})
        finally:
            self._handling.discard(thread)

    def _handled(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        observer = self.observer
        if observer.reading or observer.inert or observer.in_backward:
            return func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name == "__get__":
            name = getattr(getattr(func, "__self__", None), "__name__", "")
        if self.looking and (handler := self.before.get(name)) is not None:
            handler(name, args, kwargs, None)
        result = self._taped_call(func, name, args, kwargs) if self._taping else func(*args, **kwargs)
        if self.looking:
            self._look(name, args, kwargs, result)
        for follower in self._followers:
            follower(name, args, kwargs, result)
        return result

    def _look(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if (handler := self.handlers.get(name)) is not None:
            handler(name, args, kwargs, result)
        for every in self.every:
            every(name, args, kwargs, result)
        if isinstance(result, torch.Tensor) and torch.is_grad_enabled() and result.requires_grad:
            self._note_line(result)

    def record(self, recorder: Recorder, taped: Callable[[], bool]) -> None:
        """The tape is on from now on, in all steps for which `taped` holds."""
        self.recorder, self.taped = recorder, taped
        self.follow()

    def _taped_call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What an optimizer does in its step is no row, but what its closure does is."""
        assert self.recorder is not None
        if self.observer.stepping and not torch.is_grad_enabled():
            return func(*args, **kwargs)
        call = TorchCall(func, name, args, kwargs)
        before = self.recorder.before(call)
        result = func(*args, **kwargs)
        try:
            self._note_origin(name, args, result)
            self.recorder.note(call, result, before)
        except Exception as error:  # the program must go on, whatever we got wrong
            self.recorder.clear()
            self.taped = lambda: False
            self._taping = False
            self.observer.unseen("tape", f"{type(error).__name__}: {error}")
        return result

    def _note_origin(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        if name in COPIES and (place := reading.place(result)) is not None:
            self.walked.copied_to.add(place)
        elif name in DRAWS or (name in CARRIES and args and self.walked.drawn.holds(args[0])):
            self.walked.drawn.add(result)

    def _note_line(self, result: torch.Tensor) -> None:
        try:
            node = result.grad_fn
        except RuntimeError:  # a view made without gradients and changed in place since; torch forbids the question
            return
        if node is None or node in self.walked.lines:
            return
        site = sites.caller(2)
        if site is not None:
            self.walked.lines[node] = site

    def begin(self) -> None:
        """Training begins: building data and models is none of our business, and often many small operations."""
        self.begun = True
        self.follow()

    def follow(self) -> None:
        """On while the tape runs and for the steps observed in full; never pushed above a mode of the program's own."""
        self.looking = self.begun and self.observer.full
        was, self._taping = self._taping, self.taped()
        if was and not self._taping and self.recorder is not None:
            self.recorder.clear()
        self._followers = ()
        wanted = (self.looking or self._taping) and not self.paused and not self.observer.finished
        if wanted and not self.on and may_push():
            self._push()
        elif not wanted and self.on and self._is_top():
            self._pop()
        self.walked.lines.clear()

    @contextlib.contextmanager
    def pause(self) -> Iterator[None]:
        """Compiled code runs without the mode: the compiler would trace it, and compile again once it is gone."""
        self.paused += 1
        lifted = self.on and self._is_top()
        if lifted:
            self._pop()
        try:
            yield
        finally:
            self.paused -= 1
            if lifted:
                self._push()

    def watch_evaluation(self, call: Call) -> None:
        """The first evaluations are watched even between two fully observed steps."""
        if call.training or self.looking or self.paused or self.eval_calls >= EVAL_CALLS or self.observer.step == 0:
            return
        self.eval_calls += 1
        self.looking = True
        if not self.on and may_push():
            self._push()

    def follow_by(self, follower: Handler) -> None:
        """An evaluation begins, every call of which is told; until the next step, or until a model is trained."""
        if self.paused:
            return
        if follower not in self._followers:
            self._followers = (*self._followers, follower)
        if not self.on and may_push():
            self._push()

    def unfollow(self) -> None:
        self._followers = ()

    @property
    def on(self) -> bool:
        """In this thread: each has modes of its own, and a program may train in a second one.

        Where a backward is a step, steps end within a call: a mode pushed then would lie there once more with each.
        """
        if threading.get_ident() in self._handling:
            return True
        count = torch._C._len_torch_function_stack()
        return any(torch._C._get_function_stack_at(place) is self for place in range(count))

    def _push(self) -> None:
        self.__enter__()  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def _pop(self) -> None:
        self.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    def _is_top(self) -> bool:
        count = torch._C._len_torch_function_stack()
        return count > 0 and torch._C._get_function_stack_at(count - 1) is self


def may_push() -> bool:
    """Nothing of the program's own lies on the stack of modes but one that handles modes above it."""
    from torch.utils._device import DeviceContext

    count = torch._C._len_torch_function_stack()
    return all(isinstance(torch._C._get_function_stack_at(i), DeviceContext) for i in range(count))


def install(observer: Observer, models: Models, walked: Walked) -> Operations:
    mode = Operations(observer, walked)
    for tap, found in (
        ("losses", losses.handlers(observer, walked)),
        ("pairings", pairings.handlers(observer, walked)),
        ("cuts", cuts.handlers(observer, walked)),
        ("attention", attention.handlers(observer, walked)),
        ("units", units.handlers(observer, models)),
    ):
        for name, handler in found.after.items():
            _add(mode.handlers, name, observer.shielded(tap, handler))
        if found.every is not None:
            mode.every.append(observer.shielded(tap, found.every))
        for name, handler in found.before.items():
            _add(mode.before, name, observer.shielded(tap, handler))
    observer.moments.next_step.append(mode.follow)
    observer.moments.model_returned.append(mode.watch_evaluation)
    observer.moments.training_begins.append(mode.begin)
    return mode


def _add(table: dict[str, Handler], name: str, handler: Handler) -> None:
    """Several taps may look at the same operation."""
    earlier = table.get(name)
    if earlier is None:
        table[name] = handler
        return

    def both(*arguments: Any) -> None:
        earlier(*arguments)
        handler(*arguments)

    table[name] = both
