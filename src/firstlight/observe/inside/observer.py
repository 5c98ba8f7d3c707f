"""The observer of one process: moments of training, told to the taps that asked for them, within a budget.

The moments are: the first model is called, a module returned (on steps observed in full), a root model is called,
returned or raised, a backward begins, a backward ended, a step begins, a step ended, the observation ends. A tap that
fails is switched off and said to be unseen; the program never notices.
"""

import atexit
import functools
import importlib
import itertools
import multiprocessing.util
import os
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from firstlight.observe import spec as session
from firstlight.observe.inside import containment
from firstlight.observe.inside.cores import Clock
from firstlight.records import wire
from firstlight.records.declared import Logged
from firstlight.records.events import Fact, Step, _Event
from firstlight.records.places import Site
from firstlight.records.program import Ending, ProcessSeen, Unseen
from firstlight.records.sighting import UNTOLD, Sighting
from firstlight.records.training import StepSeen
from firstlight.store.event_log import EventLog

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.dealings import Dealings

MILESTONES = (3, 10, 30, 100, 300, 1000)
"""Steps after which the parameters are counted anew, so that a killed run still has a count."""
MOST_IDLE_BACKWARDS = 400
"""With so many backwards and no step there is nothing more to wait for."""
MOST_HELD_BACK = 50
MOST_HELD_BACK_LETTERS = 10_000
MOST_REFUSALS = 20
"""A program that swallows `SystemExit` so often is ended without asking."""


class Stop(SystemExit):
    """Ends the script once enough was seen. Quiet everywhere, because a `SystemExit` is."""


@dataclass
class Moments:
    """Who wants to be told of what."""

    optimizer_built: list[Callable[..., None]] = field(default_factory=list)
    training_begins: list[Callable[..., None]] = field(default_factory=list)
    module_returned: list[Callable[..., None]] = field(default_factory=list)
    model_called: list[Callable[..., None]] = field(default_factory=list)
    """Once training has begun: whether gradients are enabled."""
    model_returned: list[Callable[..., None]] = field(default_factory=list)
    model_failed: list[Callable[..., None]] = field(default_factory=list)
    backward_begins: list[Callable[..., None]] = field(default_factory=list)
    backward_ended: list[Callable[..., None]] = field(default_factory=list)
    step_begins: list[Callable[..., None]] = field(default_factory=list)
    step_ended: list[Callable[..., None]] = field(default_factory=list)
    milestone: list[Callable[..., None]] = field(default_factory=list)
    next_step: list[Callable[..., None]] = field(default_factory=list)
    batch_given: list[Callable[..., None]] = field(default_factory=list)
    """A DataLoader gave a batch: the loader and the batch."""
    batch_asked: list[Callable[..., None]] = field(default_factory=list)
    """The model was asked about an earlier one, as others were read ahead: the loader and the tensors of the batch."""
    state_loaded: list[Callable[..., None]] = field(default_factory=list)
    """A module was given a state: the module."""
    ending: list[Callable[..., None]] = field(default_factory=list)


class Quiet:
    """Entered for every listener at every moment: no generator, and no object of torch's but the one it takes."""

    __slots__ = ("_functions", "_grad", "_observer", "_was")

    def __init__(self, observer: "Observer") -> None:
        self._observer = observer

    def __enter__(self) -> None:
        self._was, self._observer.reading = self._observer.reading, True
        self._functions = torch._C.DisableTorchFunction()
        self._functions.__enter__()
        self._grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)

    def __exit__(self, *_problem: object) -> None:
        torch._C._set_grad_enabled(self._grad)
        self._functions.__exit__(None, None, None)
        self._observer.reading = self._was


class Observer:
    chooses: Callable[[Site | None], bool] = staticmethod(lambda _: False)
    """Whether a line lies in a branch that keeps what was best so far."""
    maximizes: Callable[[], bool] = staticmethod(lambda: False)
    """Whether the optimizers go up the gradient, all of them."""
    negated: Callable[[torch.Tensor, torch.Tensor], None] = staticmethod(lambda _root, _minus: None)
    """Told of the negative that is looked at in place of what `backward` was called on."""
    batch_rows: tuple[int, ...] = ()
    """Rows of the dataset that the last batch of a loader was made of, where they are known."""
    rows_fed: Callable[[Sequence[torch.Tensor]], Sequence[Hashable] | None] = staticmethod(lambda _fed: None)
    """Which stored examples tensors hold that a model is fed, where that is known."""
    follows_rows = False
    """The tape is on in every step, so that it is known."""
    taken: Mapping[int, torch.Tensor] = MappingProxyType({})
    """Gradients that the program takes and applies itself, by the id of the tensor, while a backward is told."""
    dealings: "Dealings | None" = None
    """With the environment that the program acts in; None where the tape is not on."""

    def __init__(self, spec: session.Spec) -> None:
        self.spec = spec
        self.moments = Moments()
        self.step = self.backwards = 0
        self.in_backward = self.reading = False
        self.stepping = False
        """An optimizer is making its step."""
        self.scale = 1.0
        self.finished = False
        self.timeline: str | None = None
        """Set in a copy of the program that was changed on purpose; the program itself has none."""
        self.light = False
        """Only backwards and steps are observed."""
        self.clips = True
        self.last_batch: tuple[int | None, Any] = (None, None)
        """The loader that gave the last batch before training began, and that batch."""
        self.entering: torch.nn.Module | None = None
        """The model about to be called, while training begins."""
        self.optimizers: Callable[[], list[Any]] = list
        self.functional = False
        """The program takes gradients with `torch.func`; parameters then never hold one."""
        self.clock = Clock()
        """Since the first backward."""
        self.ending: Callable[[str], Ending] | None = None
        self.has_optimizer: Callable[[], bool] = lambda: False
        self.undecided: Callable[[], bool] = lambda: False
        """More steps may still show that the program learns."""
        self._off: set[str] = set()
        """Taps that failed, or that nobody wants to hear of any more."""
        self._pid, self._refusals = os.getpid(), 0
        self._log: EventLog | None = None

    @property
    def full(self) -> bool:
        """This step is observed operation by operation."""
        return not self.light and (self.step < self.spec.full_steps or self.step % self.spec.sample_every == 0)

    @property
    def inert(self) -> bool:
        """Nothing is observed in loader workers, nor after the end, nor while torch makes a graph of the program."""
        return self.finished or torch.utils.data.get_worker_info() is not None or torch_traces()

    @property
    def _counted_seconds(self) -> float:
        """Without the time it waited for a core, so that a busy machine shows as much of the program as a quiet one.

        A copy is compared with the program over as many steps as both made, and waits like anybody else.
        """
        alone = self.timeline is not None or self.clock.seconds <= self.spec.seconds
        return self.clock.seconds if alone else self.clock.running(session.BUSY)

    def emit(self, record: Logged) -> None:
        if isinstance(record, Sighting) and record.step == UNTOLD:
            record = msgspec.structs.replace(record, step=self.step, rank=rank())
        if isinstance(record, StepSeen):
            self.note(
                Step,
                step=record.step,
                loss=record.loss,
                lr=record.lr,
                grad_norm=record.grad_norm,
                param_norm=record.weight_norm,
                observed=wire.to_plain(record),
            )
        else:
            self.note(Fact, observed=wire.to_plain(record))

    def note(self, kind: type[_Event], /, **fields: Any) -> None:
        """A line that is no sighting: numbers for plots."""
        if self._log is None or os.getpid() != self._pid:
            self._open()
        assert self._log is not None
        self._log.timeline = self.timeline
        self._log.append(kind, **fields)

    def _open(self) -> None:
        self._pid = os.getpid()
        self._log = EventLog(Path(self.spec.events), self.spec.run_id, rank=rank())
        self.describe()

    def describe(self) -> None:
        """Said when the log is opened, and again once training begins where that decides how experiments are made."""
        self.emit(
            ProcessSeen(
                step=0,
                rank=rank(),
                python=".".join(map(str, sys.version_info[:3])),
                torch=str(torch.__version__),
                device="cuda" if torch.cuda.is_initialized() else "cpu",
                threads=torch.get_num_threads(),
                world=world(),
            )
        )

    def quiet(self) -> "Quiet":
        """Reads values: no graph, our own operations are not observed, and new tensors are on the CPU whatever device
        the program has made the default."""
        return Quiet(self)

    def shielded(self, tap: str, function: Callable[..., None]) -> Callable[..., None]:
        """A failure of ours is said once and never reaches the program."""

        @functools.wraps(function)
        def call(*arguments: Any) -> None:
            if tap in self._off or self.inert:
                return
            try:
                with self.quiet():
                    function(*arguments)
            except Exception as error:  # the program must go on, whatever we got wrong
                self._fails(tap, error)

        return call

    def unable_to_raise(self, tap: str, function: Callable[..., None]) -> Callable[..., None]:
        """For what torch calls itself: as `shielded`, and it keeps count even where nothing is looked at."""

        @functools.wraps(function)
        def call(*arguments: Any) -> None:
            if tap in self._off:
                return
            try:
                function(*arguments)
            except Exception as error:  # as above
                self._fails(tap, error)

        return call

    def leave_out(self, *taps: str) -> None:
        """They are told of nothing from now on."""
        self._off.update(taps)

    def _fails(self, tap: str, error: Exception) -> None:
        self.leave_out(tap)
        try:
            self.unseen(tap, f"{type(error).__name__}: {error}")
        except Exception:  # what the error says may itself be a fault, or the disk be full
            return

    def unseen(self, tap: str, reason: str) -> None:
        self.emit(Unseen(tap=tap, reason=reason[:500]))

    def tell(self, moment: list[Callable[..., None]], *arguments: Any) -> None:
        for listener in moment:
            listener(*arguments)

    def advance(self, step: int) -> None:
        """A step is over."""
        if self.finished:
            self.spend()
        if self.inert:
            return
        self.step = step
        if step in MILESTONES and not self.light:
            self.tell(self.moments.milestone)
        self.spend()
        self.tell(self.moments.next_step)

    def after_backward(self) -> None:
        """A program without an optimizer has a step at every backward."""
        if not self.has_optimizer():
            self.advance(self.backwards)
        elif self.step == 0 and self.backwards >= MOST_IDLE_BACKWARDS:
            self.stop("steps")
        else:
            self.spend()

    def stop(self, reason: str) -> None:
        """A timeline ends on the spot: the script's clean-up belongs to the program it was copied from."""
        self.finish(reason)
        if self.timeline is not None:
            os._exit(0)
        raise Stop(0)

    def spend(self) -> None:
        """Ends the program once the budget is spent. Ranks stop by steps alone, so that all stop at the same one."""
        if self.finished:
            self._refuse()
        reason = self._spent(1.0)
        if reason and not (world() == 1 and self.undecided() and not self._spent(self.spec.longer)):
            self.stop(reason)

    def _spent(self, times: float) -> str:
        """What of the budget, taken so many times, is used up; empty while nothing is."""
        if self.step >= times * self.spec.steps:
            return "steps"
        over = world() == 1 and session.is_spent(self._counted_seconds, self.step, times * self.spec.seconds)
        return "time" if over else ""

    def _refuse(self) -> None:
        if torch.utils.data.get_worker_info() is not None:
            return
        self._refusals += 1
        if self._refusals > MOST_REFUSALS:
            os._exit(0)
        raise Stop(0)

    def _with_held_back(self, ending: Ending) -> Ending:
        """All are counted; as many are named as a line of the log has room for."""
        if not self.spec.contain:
            return ending
        every = containment.held_back(containment.install(Path(self.spec.scratch)))
        lengths = itertools.accumulate(map(len, every))
        named = [path for path, length in zip(every, lengths, strict=True) if length <= MOST_HELD_BACK_LETTERS]
        return msgspec.structs.replace(ending, held_back=tuple(named[:MOST_HELD_BACK]), held_back_count=len(every))

    def finish(self, reason: str) -> None:
        if self.inert or self.backwards == 0:
            return
        if not self.light:
            self.tell(self.moments.milestone)
            self.tell(self.moments.ending)
        if self.ending is not None:
            self.emit(self._with_held_back(self.ending(reason)))
        self.finished = True


def torch_traces() -> bool:
    """It follows Python to make a graph of it: what we would do there would become part of the graph."""
    symbolic = sys.modules.get("torch.fx._symbolic_trace")  # whose own question about this prints a warning
    return (
        torch.compiler.is_compiling() or torch._C._is_tracing() or bool(getattr(symbolic, "_is_fx_tracing_flag", False))
    )


_standing: tuple[int, int] | None = None


def _stands() -> tuple[int, int] | None:
    """Rank and world; also when the program has taken the process group down and the last things are said."""
    global _standing
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        _standing = torch.distributed.get_rank(), torch.distributed.get_world_size()
    return _standing


def rank() -> int:
    stands = _stands()
    return int(os.environ.get("RANK", "0") or 0) if stands is None else stands[0]


def world() -> int:
    stands = _stands()
    return 1 if stands is None else stands[1]


_current: Observer | None = None


def begin() -> None:
    """Called once torch is imported, in every process of the program."""
    global _current
    spec = session.current()
    if _current is not None or spec is None:
        return
    _current = observe(spec)
    atexit.register(_current.finish, "exit")
    multiprocessing.util.Finalize(None, _current.finish, args=("exit",), exitpriority=10)


def observe(spec: session.Spec) -> Observer:
    """Attaches to torch in this process, for good."""
    if spec.contain:
        containment.install(Path(spec.scratch))
    from firstlight.observe.inside import taps

    observer = Observer(spec)
    taps.install(observer)
    for extension in spec.extensions:
        module, _, function = extension.partition(":")
        getattr(importlib.import_module(module), function)(observer)
    return observer
