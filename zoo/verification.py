"""Runs programs and mutants with every seed, and rules on what they reach."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import version

from zoo.cache import Cache
from zoo.mutants import Mutant, content_of, fingerprint
from zoo.records import Program
from zoo.rule import SEEDS, rule_on_mutant, rule_on_program
from zoo.running import SEEDS as SHIM
from zoo.running import Outcome, run_program
from zoo.verified import Entry, Verified
from zoo.work import side_by_side

PATIENCE = 6.0
"""A mutant that takes so many times as long as its healthy program is given up."""
GRACE_SECONDS = 30.0
"""What any run may take beside, on a machine that is busy."""


class Verification:
    """Takes what is known from the committed list and the cache, and runs the rest."""

    def __init__(self, known: Verified, runs: Cache, jobs: int) -> None:
        self._known = known
        self._runs = runs
        self._jobs = jobs

    def verify_programs(self, programs: Sequence[Program]) -> None:
        for program, entry in side_by_side(programs, self._program, self._jobs, "programs"):
            self._known.programs[program.slug] = entry

    def verify_mutants(self, mutants: Sequence[Mutant]) -> None:
        """Mutants of programs that are not healthy say nothing, and are left out."""
        sound = [mutant for mutant in mutants if (entry := self._known.program(mutant.program)) and entry.kept]
        for mutant, entry in side_by_side(sound, self._mutant, self._jobs, "mutants"):
            self._known.mutants[mutant.id] = entry

    def _program(self, program: Program) -> Entry:
        known = self._known.program(program)
        limit = PATIENCE * program.seconds + GRACE_SECONDS
        runs = tuple(self._outcome(program, program.files, seed, limit, known) for seed in SEEDS)
        ruling = rule_on_program(program.metric, runs)
        return Entry(content_of(program), ruling.kept, ruling.why, runs)

    def _mutant(self, mutant: Mutant) -> Entry:
        healthy = self._known.programs[mutant.program.slug]
        known = self._known.mutant(mutant)
        limit = PATIENCE * max(run.seconds for run in healthy.runs) + GRACE_SECONDS
        metric, leaks = mutant.program.metric, mutant.mutation.leaks
        runs: tuple[Outcome, ...] = ()
        ruling = None
        while ruling is None:
            runs += (self._outcome(mutant.program, mutant.files, SEEDS[len(runs)], limit, known),)
            ruling = rule_on_mutant(metric, leaks, healthy.runs, runs)
        return Entry(mutant.content, ruling.kept, ruling.why, runs)

    def _outcome(
        self, program: Program, files: Mapping[str, str], seed: int, limit_seconds: float, known: Entry | None
    ) -> Outcome:
        at = SEEDS.index(seed)
        if known is not None and at < len(known.runs):
            return known.runs[at]
        key = run_key(program, files, seed)
        kept = self._runs.get(key)
        if kept is not None:
            return Outcome(**kept)
        outcome = run_program(files, program.command, program.metric, seed, limit_seconds)
        self._runs.put(key, asdict(outcome))
        return outcome


def run_key(program: Program, files: Mapping[str, str], seed: int) -> str:
    """Everything that a run's outcome rests on."""
    texts = [text for name in sorted(files) for text in (name, files[name])]
    return fingerprint(*program.command, "", program.metric.pattern, str(seed), _shim(), version("torch"), *texts)


@cache
def _shim() -> str:
    return (SHIM / "sitecustomize.py").read_text(encoding="utf-8")


def drop_outdated(known: Verified, programs: Iterable[Program], mutants: Iterable[Mutant]) -> None:
    """Forgets entries of programs and mutants that are gone or have changed."""
    _keep(known.programs, [program.slug for program in programs if known.program(program)])
    _keep(known.mutants, [mutant.id for mutant in mutants if known.mutant(mutant)])


def _keep(entries: dict[str, Entry], names: Sequence[str]) -> None:
    for name in set(entries) - set(names):
        del entries[name]
