"""In a fresh run of the script: the one order it is given takes effect when training begins."""

from pathlib import Path

import msgspec
import torch

from firstlight.experiments.inside import interventions
from firstlight.experiments.inside.seclusion import stay_eager
from firstlight.experiments.plan import ORDER, Order
from firstlight.observe.inside.observer import Observer, world


def install(observer: Observer) -> None:
    order = msgspec.json.decode((Path(observer.spec.run) / ORDER).read_bytes(), type=Order)
    observer.timeline = order.name

    def begin() -> None:
        """From here on this process is the timeline; up to here it did what the program does."""
        if not torch.cuda.is_initialized() and world() == 1:
            torch.set_num_threads(1)  # others run on the other cores
        stay_eager()
        interventions.begin(observer, order)

    observer.moments.training_begins.insert(0, begin)


def announce(observer: Observer) -> None:
    """In the program itself: what it trains on decides how many timelines may run at once."""
    observer.moments.training_begins.append(observer.describe)
