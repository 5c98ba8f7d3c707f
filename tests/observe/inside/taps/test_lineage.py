import torch
from torch import nn

from firstlight.observe.inside.taps.lineage import Generation, Lineage
from firstlight.records.places import Site

HERE, THERE = Site(file="train.py", line=17), Site(file="train.py", line=30)


class Program:
    """Builds optimizers and steps them, as the tap sees it."""

    def __init__(self) -> None:
        self.model = nn.Linear(3, 2)
        self.lineage = Lineage()

    def build(self, site: Site | None = HERE, steps: int = 1, model: nn.Module | None = None) -> Generation | None:
        parameters = list((model or self.model).parameters())
        optimizer = torch.optim.Adam(parameters, lr=0.1)
        generation = self.lineage.begun(optimizer, site)
        for _ in range(steps):
            for parameter in parameters:
                parameter.grad = torch.ones_like(parameter)
            optimizer.step()
            if generation is not None:
                generation.stepped(parameters)
        return generation

    def number(self, site: Site | None = HERE, model: nn.Module | None = None) -> int:
        generation = self.build(site, model=model)
        assert generation is not None
        return generation.number


def test_each_rebuild_counts_on() -> None:
    program = Program()

    assert [program.number() for _ in range(4)] == [0, 1, 2, 3]


def test_another_line_is_another_optimizer() -> None:
    program = Program()
    program.build()

    assert program.number(THERE) == 0


def test_another_model_is_another_training() -> None:
    program = Program()
    program.build()

    assert program.number(model=nn.Linear(3, 2)) == 0


def test_one_that_never_stepped_loses_nothing() -> None:
    program = Program()
    program.build(steps=0)

    assert program.number() == 0


def test_weights_that_were_reset_begin_anew() -> None:
    program = Program()
    program.build()
    nn.init.zeros_(program.model.weight.data)

    assert program.number() == 0


def test_a_state_copied_over_is_not_lost() -> None:
    program = Program()
    program.build()
    optimizer = torch.optim.Adam(program.model.parameters(), lr=0.1)
    generation = program.lineage.begun(optimizer, HERE)
    assert generation is not None
    assert generation.number == 1

    optimizer.state[program.model.weight] = {"step": torch.tensor(1.0), "exp_avg": torch.ones(2, 3)}
    generation.starts(optimizer)

    assert generation.number == 0


def test_an_optimizer_of_a_framework_has_no_line() -> None:
    assert Program().build(site=None) is None


def test_scalars_and_empty_parameters_are_read() -> None:
    program = Program()
    program.model = nn.ParameterList([nn.Parameter(torch.zeros(())), nn.Parameter(torch.zeros(0, 4))])  # type: ignore[assignment]

    assert [program.number() for _ in range(2)] == [0, 1]
