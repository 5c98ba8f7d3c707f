"""The engine the user asked for."""

from pathlib import Path

from firstlight.experiments.engine import Engine
from firstlight.experiments.engines.auto import AutoEngine
from firstlight.experiments.engines.fork import ForkEngine
from firstlight.experiments.engines.fresh import FreshEngine
from firstlight.experiments.engines.local import LocalHands
from firstlight.observe.process import Start
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target


def engine(name: str, target: Target, program: Spec, seconds: float, start: Start | None = None) -> Engine:
    """`program` is what the program itself is observed with; `seconds` are for everything that will be ordered."""
    match name:
        case "fork":
            return ForkEngine(Path(program.run), seconds)
        case "fresh":
            return FreshEngine(LocalHands(target, program, start), target, program, seconds)
        case "ray":
            from firstlight.experiments.engines.on_ray import RayHands

            return FreshEngine(RayHands(), target, program, seconds)
        case _:
            return AutoEngine(
                ForkEngine(Path(program.run), seconds),
                FreshEngine(LocalHands(target, program, start), target, program, seconds),
            )
