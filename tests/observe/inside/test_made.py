from torch import nn

from firstlight.observe.inside.made import Made, RunningLine


def line(number: int, function: str = "run") -> RunningLine:
    return RunningLine(__file__, number, function)


class Known(Made):
    def __init__(self, *way: RunningLine) -> None:
        super().__init__()
        self.model = nn.Linear(1, 1)
        self._ways[self.model] = way

    def told(self, *running: RunningLine) -> int | None:
        site = self.line_of(self.model, running)
        return None if site is None else site.line


def test_the_first_line_that_was_not_running_when_it_was_used() -> None:
    assert Known(line(64), line(51), line(90, "build")).told(line(64), line(58), line(45)) == 51


def test_within_the_maker_of_an_object_the_line_there() -> None:
    assert Known(line(65), line(20, "__init__"), line(11, "build")).told(line(66), line(56), line(45)) == 20


def test_a_model_that_nobody_saw_made_has_none() -> None:
    assert Made().line_of(nn.Linear(1, 1), [line(3)]) is None


def test_is_noted_once_a_module_gets_its_first_parameter() -> None:
    made, model = Made(), nn.Linear(1, 1)
    made.note(model, "weight", model.weight)
    site = made.line_of(model, [])

    assert site is not None
    assert site.function == "test_is_noted_once_a_module_gets_its_first_parameter"
