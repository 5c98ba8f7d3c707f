"""What is known is weighed when there is something new to weigh, not each time somebody asks."""

from dataclasses import dataclass, field

from firstlight.diagnosis.case import Case
from firstlight.experiments.engine import NURSERY, fates
from firstlight.experiments.plan import Order
from firstlight.judge.inquiry import Inquiry, Question
from firstlight.observe.watch import Watched
from firstlight.records.program import Ending
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.records.training import BackwardSeen


@dataclass
class Copies:
    """Makes nothing; settled once the log says that all that was ordered is over."""

    ordered: list[Order] = field(default_factory=list)
    extensions: tuple[str, ...] = ()
    closed: bool = False

    def attend(self, _watched: Watched) -> bool:
        return True

    def order(self, *orders: Order) -> None:
        self.ordered += orders

    def close(self) -> None:
        self.closed = True

    def settled(self, watched: Watched) -> bool:
        return fates(watched).keys() >= {order.name for order in self.ordered}

    def end(self) -> None:
        pass


def ended(name: str) -> TimelineEnded:
    return TimelineEnded(step=0, name=name, seconds=1.0, exit_code=0)


def backward(value: float) -> BackwardSeen:
    return BackwardSeen(step=0, site=None, value=value, connected=True)


def over() -> Watched:
    """A program that stands still, over; its copies are under way."""
    end = Ending(step=150, reason="steps", backwards=150, steps=150, optimizers=("SGD",), unstepped={}, unused={})
    return Watched(
        records=[*map(backward, [2.3] * 150), end], timelines={NURSERY: [NurseryOpened(step=0, pid=1)]}, over=True
    )


def test_repairs_are_thought_of_again_only_when_something_has_ended() -> None:
    thoughts: list[int] = []

    def suspects(watched: Watched) -> tuple[str, ...]:
        thoughts.append(len(fates(watched)))
        return ("other-seed",) if fates(watched) else ()

    question = Question(weigh=lambda _: Case(), suspects=suspects, open=lambda _: False)
    engine, watched = Copies(), over()
    inquiry = Inquiry(engine, question, ("one-batch",), seconds=1e9)
    rounds = 0
    while not engine.closed:
        for _ in range(20):
            assert not inquiry.settled(watched)
        rounds += 1
        watched.timelines[NURSERY] += [ended(one.name) for one in engine.ordered if one.name not in fates(watched)]
        inquiry.settled(watched)

    assert inquiry.settled(watched)
    assert "other-seed" in [order.name for order in engine.ordered]
    assert len(thoughts) == 1 + rounds


def test_a_ladder_is_climbed_as_soon_as_a_rung_has_ended() -> None:
    engine, watched = Copies(), over()
    inquiry = Inquiry(engine, Question(weigh=lambda _: Case(), open=lambda _: False), ("lr-tenfold",), seconds=1e9)
    inquiry.settled(watched)
    watched.timelines["lr-tenfold"] = [*map(backward, [2.3] * 150)]
    inquiry.settled(watched)
    assert "lr-hundredfold" not in [order.name for order in engine.ordered]

    watched.timelines[NURSERY].append(ended("lr-tenfold"))
    inquiry.settled(watched)
    assert "lr-hundredfold" in [order.name for order in engine.ordered]
