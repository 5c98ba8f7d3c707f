"""One optimizer under watch: at each of its steps every gradient and weight is read, and a row of numbers made."""

import functools
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch

from firstlight.facts.live.tensors import Look
from firstlight.facts.live.turning import Bad, Origin
from firstlight.facts.live.windows import Seen
from firstlight.guard.optimizers import rate_of
from firstlight.guard.pacing import Pace
from firstlight.guard.statistics import choose
from firstlight.guard.statistics.rows import L2, NONFINITE, UPDATE, ZEROS, Clipping, Frame, Pass, Scalars
from firstlight.guard.statistics.subjects import Subjects
from firstlight.records.telemetry import StepRow

MOST_PENDING = 64
"""Steps whose numbers may still be on their way; older ones are given up."""
PLAIN = frozenset({"SGD", "ASGD", "LBFGS"})
"""Optimizers whose update grows with the gradient; all others divide by its size."""
MOST_LOSSES = 64
"""Backwards of one step whose losses are averaged; of more, the last."""


@dataclass(slots=True)
class Pending:
    """What the host knows of a step whose numbers are not here yet."""

    step: int
    lr: float | None = None
    clip_at: float | None = None
    unscale: bool = False
    """The gradients were read with the loss scale still in them."""
    scaled_loss: bool = False
    given_loss: float | None = None
    components: dict[str, float] = field(default_factory=dict)
    seconds: float | None = None
    wait_s: float | None = None
    samples: int | None = None
    batch: str | None = None
    guard_s: float = 0.0
    piled: bool = False
    given_up: bool = False
    """Its gradients were clipped, and then no step was made with them."""


class Watch:
    origin: Origin | None = None
    """Of the last bad loss, where it could be traced."""
    is_new = True
    """It has made no step yet."""
    is_resumed = False
    """It was given the state of an earlier run, and has made no step since."""
    _cleared = True
    """Somebody has cleared the gradients since the last step."""
    _is_read = False
    """The gradients as they are now were read when they were clipped."""
    _in_closure = False

    def __init__(
        self, index: int, optimizer: torch.optim.Optimizer, models: Mapping[str, torch.nn.Module], skips: bool = False
    ) -> None:
        """`skips`: the optimizer leaves out steps whose gradients are not finite, on its device, as under a scaler."""
        self.index, self.optimizer = index, optimizer
        self.models, self._skips = models, skips
        self.step = 0
        """The step it makes next, in the count of the run."""
        self.skipped = 0  # by the loss scaler
        self.clips: tuple[float, torch.Tensor] | None = None
        self.losses: deque[torch.Tensor] = deque(maxlen=MOST_LOSSES)
        """Roots of the backwards since the last step of this optimizer."""
        self.recent: Callable[[], list[torch.Tensor]] = list
        """Roots of the backwards since the last step of any optimizer."""
        self.scale: torch.Tensor | None = None
        self.subjects = Subjects(optimizer, models)
        self.ready: Callable[[Pending], None] = lambda pending: None
        """Fills in what the guard knows of the step."""
        self._pass: Pass | None = None
        self._pending: deque[Pending] = deque()
        if self.subjects.device.type != "cpu":
            self.passes  # noqa: B018  # its tables are made now: making them waits for the device
        self._last_at: float | None = None
        self.pace = Pace(None)
        self.looks = 0
        """Steps at which all tensors were read, so far as they are known."""
        self._began = self.before_s = 0.0
        """When the reading began, and what our side took before the weights moved, in seconds."""
        self._over_at: float | None = None
        self._set = False
        self._mark: tuple[torch.Tensor, int, int] | None = None
        self._left_out: list[StepRow] = []

    @property
    def passes(self) -> Pass:
        if self._pass is None or self.subjects.outdated:
            self.subjects = Subjects(self.optimizer, self.models)
            self._pass = choose.pass_for(self.subjects, self._skips)
        return self._pass

    def begins(self, has_closure: bool) -> None:
        """Before the weights move. With a closure the gradients are made inside the step, and read after it."""
        self._in_closure = has_closure
        if has_closure:
            return
        if not self._is_read:
            self._began = time.perf_counter()
            self._read()
        self._is_read = False
        self._complete()

    def clip(self, parameters: list[torch.Tensor], max_norm: float) -> torch.Tensor | None:
        """Reads and clips in one go, ahead of the step; None, and nothing done, where that is not possible."""
        passes, self._began = self.passes, time.perf_counter()
        if not isinstance(passes, Clipping) or self._in_closure or self.scale is not None:
            return None
        if {id(each) for each in parameters} != {id(each) for each in self.subjects.parameters}:
            return None
        total = passes.clip(self.step, self.subjects.tensors(), Scalars(loss=self._loss()), max_norm)
        if total is not None:
            if self._pending and self._pending[-1].step == self.step:
                self._pending[-1].given_up = True
            self._await(Pending(step=self.step, lr=rate_of(self.optimizer), clip_at=max_norm, piled=not self._cleared))
            self._is_read = True
        return total

    def shield_step(self) -> None:
        """The same two attributes a `GradScaler` sets; where it has set them they are left alone."""
        bad = self.passes.found_bad
        if self._skips and bad is not None and not hasattr(self.optimizer, "found_inf"):
            self.optimizer.grad_scale, self.optimizer.found_inf = None, bad  # type: ignore[attr-defined]
            self._set = True

    def ended(self, has_closure: bool) -> None:
        if self._set:
            del self.optimizer.grad_scale, self.optimizer.found_inf  # type: ignore[attr-defined]
            self._set = False
        if has_closure:
            self._began, self._in_closure = time.perf_counter(), False
            self._read()
            self._complete()
        self.step += 1
        self._begin_anew()

    def _complete(self) -> None:
        """The step under way is known but for its numbers."""
        pending, now = self._pending[-1], time.perf_counter()
        pending.seconds = None if self._last_at is None else now - self._last_at
        self._last_at = now
        self.ready(pending)

    @property
    def is_due(self) -> bool:
        return self._skips or self.pace.is_due(self.step)

    def over(self, spent_s: float | None) -> None:
        """The step is over, and took so many seconds on our side; None where nobody looked."""
        now = time.perf_counter()
        step_s = None if self._over_at is None else now - self._over_at
        self._over_at = now
        self.pace.took(self.step - 1, spent_s, step_s)
        if spent_s is None and self.is_due:
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._mark_gradient()
        self._cleared = self._mark is None

    def _mark_gradient(self) -> None:
        """A gradient that nobody has cleared is, at the next backward, the same memory at the same version.

        The next backward may be another's (a GAN's generator leaves gradients in its rival): so every gap counts.
        """
        first = next((p for p in self.subjects.parameters if p.grad is not None and not p.grad.is_sparse), None)
        self._mark = None
        if first is not None and first.grad is not None:
            self._mark = (first, first.grad.data_ptr(), first.grad._version)

    def backward_begins(self) -> None:
        if self._mark is not None:
            parameter, address, version = self._mark
            grad = parameter.grad
            self._cleared |= grad is None or (grad.data_ptr(), grad._version) != (address, version)
        self._is_read = False

    def backward_ended(self) -> None:
        self._mark_gradient()

    def _read(self) -> None:
        scale = getattr(self.optimizer, "grad_scale", None)
        pending = Pending(
            step=self.step,
            lr=rate_of(self.optimizer),
            clip_at=self.clips[0] if self.clips else None,
            unscale=scale is not None,
            scaled_loss=self.scale is not None,
            piled=not self._cleared,
        )
        norm = self.clips[1] if self.clips else None
        scalars = Scalars(loss=self._loss(), scale=self.scale if scale is None else scale, clip_norm=norm)
        self.passes.launch(self.step, self.subjects.tensors(), scalars)
        self._await(pending)

    def _await(self, pending: Pending) -> None:
        self._pending.append(pending)
        while len(self._pending) > MOST_PENDING:
            self._pending.popleft()
        self._forget()
        pending.guard_s = time.perf_counter() - self._began

    def skips(self) -> None:
        """The scaler left a step out: its gradients overflowed, and the hooks of the optimizer never ran."""
        self.skipped += 1
        self._left_out.append(StepRow(step=self.step, optimizer=self.index, lr=rate_of(self.optimizer), skipped=True))
        self._forget()

    def _forget(self) -> None:
        self.losses.clear()
        self.clips = self.scale = None

    def _loss(self) -> torch.Tensor | None:
        """The mean over the backwards of this step; one backward costs nothing extra."""
        losses = self.recent() or list(self.losses)
        if len(losses) <= 1:
            return losses[0] if losses else None
        return torch.stack([loss.reshape(()).float() for loss in losses]).mean()

    def arrived(self) -> "list[tuple[StepRow, Frame | None]]":
        """Looks whose numbers are here by now, oldest first. Never waits."""
        found: list[tuple[StepRow, Frame | None]] = [(row, None) for row in self._left_out]
        self._left_out.clear()
        while self._pass is not None and (frame := self._pass.poll()) is not None:
            while self._pending and self._pending[0].step < frame.step:
                self._pending.popleft()
            if self._pending and self._pending[0].step == frame.step:
                pending = self._pending.popleft()
                found += [] if pending.given_up else [(self._row(pending, frame), frame)]
        return found

    def seen(self, row: StepRow, frame: Frame | None, closely: bool, memory: float | None) -> Seen:
        """What the judge gets beside the row; each tensor by itself only when looked at closely."""
        names, adaptive = self.subjects.names, type(self.optimizer).__name__ not in PLAIN
        if frame is None:
            return Seen(bad=Bad(tensors=len(names)), adaptive=adaptive, memory=memory)
        bad: tuple[str, ...] = ()
        if row.bad_gradients or row.bad_weights:
            rows = frame.gradients if row.bad_gradients else frame.weights
            bad = tuple(n for n, count in zip(names, rows[:, NONFINITE].tolist(), strict=True) if count)
        look = self._look(frame) if closely else None
        told = Bad(bad, len(names), self.origin)
        on_device = self.subjects.device.type != "cpu"
        largest = functools.partial(self.subjects.largest, frame.gradients)
        return Seen(told, self.subjects.kinds, look, adaptive, memory, on_device, largest)

    def _look(self, frame: Frame) -> Look:
        return Look(
            gradients=frame.gradients[:, L2].tolist(),
            weights=frame.weights[:, L2].tolist(),
            updates=frame.weights[:, UPDATE].tolist(),
            present=frame.present,
            wanted=[parameter.requires_grad for parameter in self.subjects.parameters],
            lrs=self.subjects.rates(),
            zeros=self.subjects.spread_of(frame.gradients[:, ZEROS].tolist()),
        )

    def _row(self, pending: Pending, frame: Frame) -> StepRow:
        loss, scale, clip_norm = frame.scalars
        if loss is not None and pending.scaled_loss and scale:
            loss = loss / scale
        if pending.unscale and scale:
            frame.gradients[:, :NONFINITE] /= scale
        rows, count = frame.rows.tolist(), len(frame.present)
        gradients, weights = rows[:count], rows[count:]
        grad = sum(row[L2] * row[L2] for row in gradients)
        param = sum(row[L2] * row[L2] for row in weights)
        update = sum((row[L2] * row[UPDATE]) ** 2 for row in weights)
        norm = math.sqrt(grad) if any(frame.present) else None
        if norm is not None and clip_norm is not None and norm < clip_norm < math.inf:
            norm = clip_norm
        return StepRow(
            step=pending.step,
            optimizer=self.index,
            loss=loss if pending.given_loss is None else pending.given_loss,
            components=pending.components,
            lr=pending.lr,
            grad_norm=norm,
            clip_norm=clip_norm,
            clip_at=pending.clip_at,
            param_norm=math.sqrt(param) if weights and param == param else None,
            update=math.sqrt(update / param) if param > 0 and update == update else None,
            amp_scale=scale,
            bad_gradients=sum(row[NONFINITE] != 0 for row in gradients),
            bad_weights=sum(row[NONFINITE] != 0 for row in weights),
            piled=pending.piled,
            step_s=pending.seconds,
            data_wait_s=pending.wait_s,
            samples=pending.samples,
            batch=pending.batch,
            guard_s=pending.guard_s,
        )
