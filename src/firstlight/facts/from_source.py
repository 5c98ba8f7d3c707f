"""What the checks of sources judge, drawn from a file that was followed. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from firstlight.facts.bootstraps import bootstraps
from firstlight.facts.triplets import triplets
from firstlight.observe.source.values import role
from firstlight.records.source import UNKNOWN, Assignment, Call, Loop, LossUse, SourceFile, Trace, TrainingLoop

FUNCTIONAL = "torch.nn.functional."
LOSSES = re.compile(r"torch\.nn\.functional\.(\w*loss\w*|\w*cross_entropy\w*|kl_div)$")
CLEARING = re.compile(r"zero_grad|zero_grads|clear_grad")
MAY_HIDE = re.compile(
    r"step|train|update|optimi[sz]e|backward|zero|clear|clip|fit|learn|grad|closure|accum", re.IGNORECASE
)


def from_source(source: SourceFile) -> list[Any]:
    return [source, *training_loops(source), *loss_uses(source), *bootstraps(source), *triplets(source)]


def training_loops(source: SourceFile) -> Iterator[TrainingLoop]:
    for trace in source.traces:
        seen: list[Loop] = []
        for call in trace.calls():
            if is_backward(call) and call.loops and call.loops[-1] not in seen:
                seen.append(call.loops[-1])
                yield _training_loop(trace, call.loops[-1])


def _training_loop(trace: Trace, loop: Loop) -> TrainingLoop:
    steps = tuple(trace.within(loop))
    calls = [step for step in steps if isinstance(step, Call)]
    return TrainingLoop(
        loop=loop,
        steps=steps,
        around=trace.steps,
        backwards=tuple(call for call in calls if is_backward(call)),
        updates=tuple(call for call in calls if is_update(call)),
        clears=tuple(step for step in steps if is_clear(step)),
        clips=tuple(call for call in calls if is_clip(call)),
        unscales=tuple(call for call in calls if call.target.endswith(".unscale_")),
        hidden=tuple(call for call in calls if may_hide(call)),
    )


def is_backward(call: Call) -> bool:
    return call.target.endswith((".backward", ".manual_backward"))


def is_update(call: Call) -> bool:
    return call.target in ("optimizer.step", "scaler.step")


def is_clear(step: Call | Assignment) -> bool:
    if isinstance(step, Assignment):
        return step.target.endswith(".grad") and not step.operator
    if step.target.endswith((".zero_", ".fill_")):
        return step.receiver.key.endswith(".grad")
    return CLEARING.search(step.target) is not None


def is_clip(call: Call) -> bool:
    return re.search(r"clip_grad(?:_norm|_value)?s?_?$|clip_gradients$", call.target) is not None


def may_hide(call: Call) -> bool:
    """A call into code we do not see, by its name or because it is handed the optimizer."""
    if not call.opaque or is_backward(call) or is_update(call) or is_clear(call) or is_clip(call):
        return False
    if any(role(value) in ("optimizer", "scaler") for value in (*call.args, *call.keywords.values())):
        return True
    return call.target.startswith(("?", ".", "own.", "instance.")) and MAY_HIDE.search(call.target) is not None


def loss_uses(source: SourceFile) -> Iterator[LossUse]:
    for trace in source.traces:
        for call in trace.calls():
            if LOSSES.match(call.target):
                prediction = call.argument(0, "input") or UNKNOWN
                target = call.argument(1, "target") or UNKNOWN
                yield LossUse(
                    function=call.target.removeprefix(FUNCTIONAL),
                    call=call,
                    prediction=prediction,
                    target=target,
                    trains="no_grad" not in call.guards and not prediction.cut,
                )
