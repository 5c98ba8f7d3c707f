"""The tape, on from the first line of the program, and what is asked of it at each backward."""

import torch
from torch.nn.modules.module import register_module_buffer_registration_hook

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.recorder import Recorder, TorchCall
from firstlight.observe.inside.taps import attractions, dealings, entropy, held_out, relations, whole_batch
from firstlight.observe.inside.taps.certificate import Certificate
from firstlight.observe.inside.taps.comparisons import ComparisonTap
from firstlight.observe.inside.taps.looks import Looks
from firstlight.observe.inside.taps.operations import Operations
from firstlight.observe.inside.taps.stored import StoredRows
from firstlight.observe.inside.taps.weighing import Weighing


def install(observer: Observer, mode: Operations) -> None:
    recorder = Recorder()
    comparisons = ComparisonTap(observer, mode)
    observer.dealings = dealt = dealings.install(observer, recorder)
    stored = StoredRows(observer, recorder)
    observer.rows_fed = stored.rows
    certificate, looks = Certificate(observer, recorder, stored), Looks(observer, recorder, comparisons, dealt)
    moments = observer.moments
    moments.batch_given.append(observer.shielded("certificate", stored.batch_given))
    moments.training_begins.append(lambda: setattr(recorder, "follows_examples", True))
    moments.model_called.append(observer.shielded("comparisons", comparisons.model_called))
    moments.next_step.append(looks.next_step)
    related = relations.install(observer, recorder) if "relations" in observer.spec.taps else None
    if related is not None:
        held_out.install(observer, mode, related)
    attracted = attractions.install(observer, recorder) if "relations" in observer.spec.taps else None
    weighing = Weighing(observer, recorder, dealt)
    others = [
        lambda: observer.follows_rows,
        weighing.wanted,
        *(one.wanted for one in (related, attracted) if one is not None),
    ]
    mode.record(
        recorder,
        lambda: certificate.wanted() or looks.wanted() or dealt.taped() or any(wanted() for wanted in others),
    )
    observer.negated = lambda root, minus: recorder.note(TorchCall(torch.neg, "neg", (root,), {}), minus)
    _follow_buffers(observer, recorder)
    entropy.follow("log_prob", observer.shielded("tape", recorder.likely))
    whole_batch.install(observer, recorder)
    moments.backward_begins.append(observer.shielded("looks", looks.backward_begins))
    moments.backward_ended.append(observer.shielded("looks", looks.backward_ended))
    moments.backward_begins.append(observer.shielded("looks", weighing.backward_begins))
    moments.backward_ended.append(observer.shielded("looks", weighing.backward_ended))
    moments.backward_begins.append(observer.shielded("certificate", certificate.backward_begins))
    moments.backward_begins.append(lambda *_: recorder.step_over())
    moments.milestone.append(observer.shielded("certificate", certificate.tell))


def _follow_buffers(observer: Observer, recorder: Recorder) -> None:
    note = observer.shielded("tape", recorder.buffer)

    def registered(_module: torch.nn.Module, _name: str, buffer: torch.Tensor | None) -> None:
        if buffer is not None:
            note(buffer)

    register_module_buffer_registration_hook(registered)
