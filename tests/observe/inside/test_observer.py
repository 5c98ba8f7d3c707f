"""What is read for a tap is read quietly."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside.observer import Observer
from firstlight.observe.spec import Spec
from firstlight.records.taped import FreeSeen

MINIMAL = Spec(
    run_id="none",
    run="",
    events="",
    scratch="",
    cwd="",
    owner=0,
    steps=1,
    seconds=1.0,
    full_steps=0,
    sample_every=1,
    taps=(),
)


def test_readings_are_on_the_cpu_whatever_device_the_program_has_made_the_default() -> None:
    observer: Any = SimpleNamespace(reading=False)
    with torch.device("meta"):
        with Observer.quiet(observer):
            drawn = torch.randperm(4, generator=torch.Generator().manual_seed(0))
            assert (drawn.device.type, torch.zeros(1).device.type, observer.reading) == ("cpu", "cpu", True)
        assert (torch.zeros(1).device.type, observer.reading) == ("meta", False)


def test_a_sighting_that_does_not_tell_its_step_gets_the_one_the_observer_is_at() -> None:
    told: list[dict[str, Any]] = []
    observer: Any = SimpleNamespace(step=7, note=lambda _kind, observed: told.append(observed))
    Observer.emit(observer, FreeSeen(free=1.0))
    Observer.emit(observer, FreeSeen(step=3, rank=2, free=1.0))

    assert [(one["step"], one["rank"]) for one in told] == [(7, 0), (3, 2)]


@pytest.mark.parametrize("grad", [True, False])
def test_what_was_on_before_is_on_again_whatever_happens(grad: bool) -> None:
    observer: Any = SimpleNamespace(reading=False)

    def fails() -> None:
        with Observer.quiet(observer):
            with Observer.quiet(observer):
                assert not torch.is_grad_enabled()
            assert (torch.is_grad_enabled(), observer.reading) == (False, True)
            raise ZeroDivisionError

    with torch.set_grad_enabled(grad):
        with pytest.raises(ZeroDivisionError):
            fails()
        assert (torch.is_grad_enabled(), observer.reading) == (grad, False)


def test_who_is_left_out_hears_nothing_and_the_others_do() -> None:
    heard: list[str] = []
    observer = Observer(MINIMAL)
    listeners = [observer.shielded(tap, heard.append) for tap in ("movement", "backward")]
    observer.tell(listeners, "before")
    observer.leave_out("movement", "feeding")
    observer.tell(listeners, "after")

    assert heard == ["before", "before", "after"]
