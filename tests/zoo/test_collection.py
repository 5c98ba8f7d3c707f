"""The programs of the zoo itself."""

from zoo.programs import load_all
from zoo.split import HALVES, half_of_program


def test_every_program_can_be_read() -> None:
    programs, problems = load_all()
    assert [str(problem) for problem in problems] == []
    assert {half_of_program(program) for program in programs} == set(HALVES)
