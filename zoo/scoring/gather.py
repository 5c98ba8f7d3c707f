"""Has firstlight judge the healthy programs and the verified mutants of a half."""

from collections.abc import Sequence
from dataclasses import dataclass

from zoo.mutants import Mutant, in_fair_order
from zoo.records import Program
from zoo.scoring.case import Case, HealthyCase
from zoo.scoring.judging import Firstlight, Judgement
from zoo.split import Half, half_of_program
from zoo.verified import Entry, Verified
from zoo.work import side_by_side


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be judged."""

    programs: tuple[Program, ...]
    mutants: tuple[Mutant, ...]


def choose(
    programs: Sequence[Program], mutants: Sequence[Mutant], verified: Verified, half: Half, sample: int | None
) -> Chosen:
    """The verified mutants of the half, or a sample of them and only the healthy programs which that comes from."""
    healthy = [
        program for program in programs if half_of_program(program) == half and _is_kept(verified.program(program))
    ]
    slugs = {program.slug for program in healthy}
    kept = [
        mutant
        for mutant in mutants
        if mutant.half == half and mutant.program.slug in slugs and _is_kept(verified.mutant(mutant))
    ]
    if sample is None:
        return Chosen(tuple(healthy), tuple(in_fair_order(kept)))
    sampled = tuple(in_fair_order(kept)[:sample])
    twins = {mutant.program.slug for mutant in sampled}
    return Chosen(tuple(program for program in healthy if program.slug in twins), sampled)


def judge_all(
    chosen: Chosen, verified: Verified, firstlight: Firstlight, jobs: int
) -> tuple[list[Case], list[HealthyCase]]:
    subjects: list[Program | Mutant] = [*chosen.programs, *chosen.mutants]

    def judge(subject: Program | Mutant) -> Judgement:
        program = subject.program if isinstance(subject, Mutant) else subject
        return firstlight.judge(subject.files, program.command)

    said: dict[str, Judgement] = {}
    for subject, judgement in side_by_side(subjects, judge, jobs, firstlight.verb):
        said[_name(subject)] = judgement
    healthy = [
        HealthyCase(program, said[program.slug], verified.programs[program.slug].seconds) for program in chosen.programs
    ]
    cases = [
        Case(mutant, said[mutant.id], said[mutant.program.slug], verified.mutants[mutant.id].seconds)
        for mutant in chosen.mutants
    ]
    return cases, healthy


def _name(subject: Program | Mutant) -> str:
    return subject.id if isinstance(subject, Mutant) else subject.slug


def _is_kept(entry: Entry | None) -> bool:
    return entry is not None and entry.kept
