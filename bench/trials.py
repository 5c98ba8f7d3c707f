"""What new users ran into, each planted in three programs of the zoo's tune half, and what `check` says of them.

`python bench/trials.py [TRIAL …]` prints a table, one row at a time, the healthy programs first. A row with a fault is
right if the verdict is `ill` or `warn`, the cause named first is the planted one, and the healthy program is clean.
What is planted may be healthy, too, or leave nothing to judge: the row is right if the verdict is that.
"""

import sys
from pathlib import Path

from trials_faults import TRIALS, Edits, Trial

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from zoo import cache, programs  # noqa: E402 (the zoo is no package that is installed)
from zoo.records import Program  # noqa: E402
from zoo.scoring.judging import Firstlight, default_executable  # noqa: E402
from zoo.split import half_of_program  # noqa: E402

HEALTHY = Trial("", "healthy", (), {})


def planted(program: Program, edits: Edits) -> dict[str, str]:
    """The program's files; an edit that fits nowhere, or in two places, is an error."""
    files = dict(program.files)
    for old, new in edits:
        (path,) = (path for path, text in files.items() if text.count(old) == 1)
        files[path] = files[path].replace(old, new)
    return files


class Bench:
    def __init__(self) -> None:
        self.firstlight = Firstlight(
            default_executable().absolute(), "check", 0, cache.Cache(cache.FOLDER / "judgements.jsonl")
        )
        self.healthy: dict[str, str] = {}

    def row(self, trial: Trial, program: Program, edits: Edits) -> bool:
        files = planted(program, edits)
        said = self.firstlight.judge(files, (*trial.options, *program.command))
        cause = "" if said.first is None else f"{said.first.cause} {said.first.probability:.0%}"
        if trial is HEALTHY:
            self.healthy[program.slug] = said.verdict
        right = said.verdict == trial.verdict
        if trial.causes:
            named = said.first is not None and said.first.cause in trial.causes
            right = said.alarmed and named and self.healthy[program.slug] == "clean"
        cells = (trial.number, trial.name, program.slug, said.verdict, cause)
        print("|", " | ".join((*cells, "right" if right else "**wrong**", f"{said.seconds:.0f} s")), "|", flush=True)
        return right


def main(wanted: list[str]) -> None:
    trials = [trial for trial in TRIALS if not wanted or set(wanted) & set(trial.number.split(", "))]
    known = {program.slug: program for program in programs.load_all()[0] if half_of_program(program) == "tune"}
    bench = Bench()
    print("| trial | planted | program | verdict | cause first |  | check |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for slug in sorted({slug for trial in trials if trial.causes for slug in trial.planted}):
        bench.row(HEALTHY, known[slug], ())
    made = [bench.row(trial, known[slug], edits) for trial in trials for slug, edits in trial.planted.items()]
    print(f"\n{sum(made)} of {len(made)} are right.")


if __name__ == "__main__":
    main(sys.argv[1:])
