"""`python -m zoo`: count the zoo, show a mutant, verify mutants, score firstlight."""

import difflib
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from firstlight.observe.inside import cores
from zoo import cache, programs, verified
from zoo import pairs as written
from zoo.errors import ZooError
from zoo.mutants import Mutant, in_fair_order, mutants_of
from zoo.mutations.catalogue import CATALOGUE
from zoo.records import Program
from zoo.scoring import counting, history
from zoo.scoring.case import Case, HealthyCase
from zoo.scoring.circumstances import circumstances
from zoo.scoring.gather import choose, judge_all
from zoo.scoring.judging import Firstlight, Verb, default_executable
from zoo.scoring.page import page
from zoo.scoring.score import score as score_of
from zoo.split import HALVES, Half, half_of_mutation, half_of_program
from zoo.verification import Verification, drop_outdated
from zoo.work import side_by_side

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
Command = TypeVar("Command", bound=Callable[..., Any])

sample_option = click.option(
    "--sample", type=click.IntRange(min=1), help="Only so many mutants, causes in equal parts."
)
jobs_option = click.option("--jobs", type=click.IntRange(min=1), default=cores.usable(), help="How many at once.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def cli() -> None:
    """Healthy training programs, faults planted in them, and how many of them firstlight finds."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """A person's mistake is a sentence and exit code 2; an interruption leaves no process behind."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        cli.main(arguments, prog_name="python -m zoo", standalone_mode=False)
    except ZooError as problem:
        click.echo(f"zoo: {problem}", err=True)
        sys.exit(EXIT_USAGE)
    except click.ClickException as problem:
        problem.show()
        sys.exit(EXIT_USAGE)
    except (KeyboardInterrupt, click.Abort):
        click.echo("zoo: interrupted; the same command goes on from here", err=True)
        sys.exit(EXIT_INTERRUPTED)
    sys.exit(0)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _programs() -> list[Program]:
    found, problems = programs.load_all()
    for problem in problems:
        click.echo(f"zoo: left out: {problem}", err=True)
    return found


@cli.command("list")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("--mutants", is_flag=True, help="The ids of the mutants of the tune half.")
def list_command(form: str, mutants: bool) -> None:
    """Count programs, causes, forms and mutants, for each half."""
    found = _programs()
    planted = list(mutants_of(found, CATALOGUE))
    if mutants:
        ids = sorted(mutant.id for mutant in planted if mutant.half == "tune")
        click.echo(json.dumps(ids, indent=1) if form == "json" else "\n".join(ids))
        return
    counts = _counts(found, planted)
    if form == "json":
        click.echo(json.dumps(counts, indent=1))
        return
    for title, row in counts.items():
        click.echo(f"{title:<10}" + "  ".join(f"{name} {count}" for name, count in row.items()))


def _counts(found: Sequence[Program], planted: Sequence[Mutant]) -> dict[str, dict[str, int]]:
    known = verified.load()
    halves = Counter(mutant.half for mutant in planted)
    entries = [(mutant.half, entry) for mutant in planted if (entry := known.mutant(mutant)) is not None]
    kept = Counter(half for half, entry in entries if entry.kept)
    return {
        "programs": {"all": len(found), **_by_half([half_of_program(program) for program in found])},
        "causes": {"all": len({mutation.cause for mutation in CATALOGUE})},
        "forms": {"all": len(CATALOGUE), **_by_half([half_of_mutation(mutation) for mutation in CATALOGUE])},
        "mutants": {"all": len(planted), **{half: halves[half] for half in HALVES}, "mixed": halves[None]},
        "verified": {"run": len(entries), "kept": sum(kept.values()), **{half: kept[half] for half in HALVES}},
    }


def _by_half(halves: Sequence[Half]) -> dict[str, int]:
    counted = Counter(halves)
    return {half: counted[half] for half in HALVES}


@cli.command()
@click.argument("mutant")
@click.option("--force", is_flag=True, help="Even of the report half, which nobody should tune to.")
def show(mutant: str, force: bool) -> None:
    """Print what a mutation changed, as a diff."""
    slug = mutant.partition("/")[0]
    found = next((one for one in mutants_of(_named(slug), CATALOGUE) if one.id == mutant), None)
    if found is None:
        raise ZooError(f"there is no mutant `{mutant}`; `python -m zoo list --mutants` names those of the tune half")
    if found.half == "report" and not force:
        raise ZooError(f"`{mutant}` is of the report half, which is measured and not looked at; --force shows it")
    click.echo(f"{found.mutation.cause} · {found.planted.site.file}:{found.planted.line} · {found.mutation.says}")
    for name, text in found.planted.files.items():
        before = found.program.files.get(name, "").splitlines(keepends=True)
        click.echo("".join(difflib.unified_diff(before, text.splitlines(keepends=True), name, name, n=1)))


def _named(slug: str) -> list[Program]:
    return [program for program in _programs() if program.slug == slug]


@cli.command()
@click.option("--half", type=click.Choice(HALVES), help="Only this half.")
@sample_option
@jobs_option
def verify(half: Half | None, sample: int | None, jobs: int) -> None:
    """Run programs and mutants with two seeds, and keep the mutants that are really worse.

    A sample is of mutants, and takes in only the programs that they come from.
    """
    found = _programs()
    planted = list(mutants_of(found, CATALOGUE, HALVES))
    known = verified.load()
    drop_outdated(known, found, planted)
    wanted = in_fair_order(mutant for mutant in planted if half in (None, mutant.half))[:sample]
    slugs = {mutant.program.slug for mutant in wanted}
    healthy = [
        program
        for program in found
        if half in (None, half_of_program(program)) and (sample is None or program.slug in slugs)
    ]
    verification = Verification(known, cache.Cache(cache.FOLDER / "runs.jsonl"), jobs)
    try:
        verification.verify_programs(healthy)
        verification.verify_mutants(wanted)
    finally:
        verified.save(known)
    _tell_verified(known)


def _tell_verified(known: verified.Verified) -> None:
    for title, entries in (("programs", known.programs), ("mutants", known.mutants)):
        whys = Counter(entry.why for entry in entries.values())
        click.echo(f"{title}: {', '.join(f'{count} {why}' for why, count in whys.most_common()) or 'none'}")
    for slug, entry in known.programs.items():
        if not entry.kept:
            runs = ", ".join(run.ending if run.metric is None else f"{run.metric:g}" for run in entry.runs)
            click.echo(f"{slug} is not healthy: {entry.why} ({runs})")


@cli.command()
@click.option("--half", type=click.Choice(HALVES), default="tune", show_default=True)
@sample_option
@jobs_option
@click.option("--verb", type=click.Choice(["check", "diagnose", "lint"]), default="check", show_default=True)
@click.option("--firstlight", "executable", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Shift the programs' seeds; 0 leaves them.")
@click.option("--verbose", is_flag=True, help="Each case, for the tune half.")
@click.option(
    "--count",
    is_flag=True,
    help="Add forms that are looked at for the first time to what claims are worth.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the page, and keep its history.")
def score(
    half: Half,
    sample: int | None,
    jobs: int,
    verb: Verb,
    executable: Path | None,
    seed: int,
    verbose: bool,
    count: bool,
    output: Path | None,
) -> None:
    """Have firstlight judge healthy programs and verified mutants, and count what it gets right."""
    if half == "report" and (verbose or count):
        raise ZooError(
            "of the report half only sums are told, so that nobody tunes to it; "
            "--verbose and --count are for --half tune"
        )
    found, known = _programs(), verified.load()
    chosen = choose(found, list(mutants_of(found, CATALOGUE, (half,))), known, half, sample)
    if not chosen.mutants:
        raise ZooError(f"no mutant of the {half} half is verified; `python -m zoo verify --half {half}` does that")
    executable = (executable or default_executable()).absolute()
    firstlight = Firstlight(executable, verb, seed, cache.Cache(cache.FOLDER / "judgements.jsonl"))
    cases, healthy = judge_all(chosen, known, firstlight, jobs)
    if verbose:
        _tell_cases(cases, healthy)
    if count:
        counting.save(counting.looks_at(cases))
    result, made = score_of(cases, healthy), circumstances(firstlight, half, sample)
    earlier = history.load()
    if output is not None:
        earlier = [*earlier, history.row_of(result, made)]
        history.save(earlier)
        output.write_text(page(result, made, earlier), encoding="utf-8")
    click.echo(page(result, made, earlier))


@cli.command()
@jobs_option
@click.option("--firstlight", "executable", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--count", is_flag=True, help="Add pairs that are looked at for the first time to what claims are worth.")
@click.argument("names", nargs=-1)
def pairs(jobs: int, executable: Path | None, count: bool, names: tuple[str, ...]) -> None:
    """Have firstlight judge the pairs written by hand, all of them or those named, and tell each."""
    known = {pair.name: pair for pair in written.load()}
    if unknown := [name for name in names if name not in known]:
        raise ZooError(f"no pair is called {unknown[0]}; the folders of zoo/pairs are the names")
    chosen = written.programs_of(known[name] for name in (names or known))
    executable = (executable or default_executable()).absolute()
    firstlight = Firstlight(executable, "check", 0, cache.Cache(cache.FOLDER / "judgements.jsonl"))
    seen = [
        looked for _, looked in side_by_side(chosen, lambda one: written.looked_at(*one, firstlight), jobs, "check")
    ]
    for one in sorted(seen, key=lambda one: (not one.sick, one.name)):
        click.echo(one)
    click.echo(written.summary(seen))
    if count:
        counting.save({one.name: [one.look] for one in seen})


def _tell_cases(cases: Sequence[Case], healthy: Sequence[HealthyCase]) -> None:
    for case in healthy:
        click.echo(f"healthy  {case.judgement.verdict:<9} {case.program.slug}  {_said(case)}")
    for mutant in sorted(cases, key=lambda case: case.mutant.id):
        grade = "right" if mutant.right else "caught" if mutant.caught else "missed"
        click.echo(f"{grade:<8} {mutant.judgement.verdict:<9} {mutant.mutant.id}  {_said(mutant)}")


def _said(case: Case | HealthyCase) -> str:
    truth = f"{case.mutant.mutation.cause}: " if isinstance(case, Case) else ""
    claim = case.judgement.said
    said = f"{claim.cause} {claim.probability:.2f}" if claim else "nothing"
    return f"{truth}said {said} · {case.judgement.seconds:.0f} s"
